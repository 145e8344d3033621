import JSON

/// The errors that responses of GraphQL report, whatever their status.
package enum GraphQLErrors {
    /// How many errors a body of JSON has, of a batch those of all items; nil for a body that is no response.
    package static func count(in body: ArraySlice<UInt8>) -> Int? {
        guard let first = body.first(where: { $0 > 0x20 }), "{[".utf8.contains(first) else { return nil }
        // Most responses have none, and need not be read for that.
        guard GraphQLCall.has([word], body) else { return 0 }
        return (try? JSONTape(Array(body))).flatMap { count($0, 0, isBatch: true) }
    }

    /// The same of a message, in which a response is the payload.
    package static func count(inMessage message: ArraySlice<UInt8>) -> Int? {
        guard let tape = try? JSONTape(Array(message)), let payload = tape.member("payload", of: 0) else {
            return count(in: message)
        }
        // graphql-transport-ws has the errors as an array, the older protocol a single one as an object.
        guard let type = tape.member("type", of: 0), tape.text(type) == "error" else {
            return count(tape, payload, isBatch: false)
        }
        return tape.entries[payload].kind == .array ? Int(tape.entries[payload].count) : 1
    }

    private static let word = Array("\"errors\"".utf8)

    private static func count(_ tape: JSONTape, _ at: Int, isBatch: Bool) -> Int? {
        let entry = tape.entries[at]
        switch entry.kind {
        case .object:
            guard let errors = tape.member("errors", of: at), tape.entries[errors].kind == .array else { return 0 }
            return Int(tape.entries[errors].count)
        case .array where isBatch:
            var (total, item) = (0, at + 1)
            for _ in 0..<entry.count {
                guard let more = count(tape, item, isBatch: false) else { return nil }
                total += more
                item = Int(tape.entries[item].next)
            }
            return total
        default: return nil
        }
    }
}

extension JSONTape {
    /// The entry of an object's member.
    func member(_ name: String, of at: Int) -> Int? {
        guard entries[at].kind == .object else { return nil }
        var key = at + 1
        for _ in 0..<entries[at].count {
            if content(key).elementsEqual(name.utf8) { return key + 1 }
            key = Int(entries[key + 1].next)
        }
        return nil
    }
}
