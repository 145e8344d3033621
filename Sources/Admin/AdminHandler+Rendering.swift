import Engine
import Filter
import Inspection
import JSON
import Profiles
import Redaction
import Store

// What the inspector shows in other words than it is stored.
extension AdminHandler {
    /// Characters of a line.
    private static let maxWidth = 100_000
    /// Bytes of a body that code may hold.
    private static let maxBodyOfCode = 512 << 10

    /// The words of the filter language.
    func listOperators() -> Record<API.Operators> {
        Record {
            $0.operators = TrafficFilter.operators.map { item in
                Record {
                    $0.name = "~" + item.name
                    $0.argument = item.argument
                    $0.meaning = item.meaning
                }
            }
        }
    }

    /// What Shunt changed in heads, with the reasons, and in bodies.
    func showChanges(_ call: AdminCall) async throws -> HandledResponse {
        let id = try call.identity()
        let changes = try await desk().read { reader -> (HeadChanges, [LineDifference?])? in
            guard let record = try reader.record(id) else { return nil }
            return (HeadChanges(record), [try reader.changes(record, .request), try reader.changes(record, .response)])
        }
        guard let (heads, bodies) = changes else { throw AdminRefusal.noExchange(id) }
        return .json(200) { heads.write(bodies: (bodies[0], bodies[1]), to: &$0) }
    }

    /// What differs between two exchanges.
    func showDifferences(_ query: Record<API.DifferencesTo>, _ call: AdminCall) async throws -> HandledResponse {
        let (id, other, calls) = (try call.identity(), Int64(query.other), calls)
        let found = try await desk().read { reader in
            let (old, new) = (try reader.record(id), try reader.record(other))
            let parts: [(String, LineDifference?)]
            if let old, let new { parts = try reader.differences(old, new, calls: calls) } else { parts = [] }
            return (missing: old == nil ? id : new == nil ? other : nil, parts: parts)
        }
        if let missing = found.missing { throw AdminRefusal.noExchange(missing) }
        return .json(200) { LineDifference.write(found.parts, to: &$0) }
    }

    /// A page of a body, as lines for people.
    func showBody(
        _ query: Record<API.BodyTextOf>, _ call: AdminCall, _ side: BodySide
    ) async throws -> Record<API.BodyText> {
        let (id, first, calls) = (try call.identity(), query.from, calls)
        guard query.look == .hex else {
            return try await showLines(from: first, limit: query.limit, or: .noExchange(id)) { reader, sink in
                guard let record = try reader.record(id) else { return nil }
                return try reader.render(record, side, calls: calls, to: sink)
            }
        }
        return try await showLines(from: first, isSkipping: false, limit: query.limit, or: .noExchange(id)) {
            reader, sink in
            guard try reader.record(id) != nil else { return nil }
            try reader.dump(id, side, from: first, to: sink)
            return .hex
        }
    }

    /// The same of a message.
    func showMessage(_ query: Record<API.MessageTextOf>, _ call: AdminCall) async throws -> Record<API.BodyText> {
        let (id, number) = (try call.identity(), Int64(query.number))
        let missing = AdminRefusal(404, "there is no message \(number) of exchange \(id), or not any more")
        return try await showLines(from: query.from, limit: query.limit, or: missing) { reader, sink in
            let message = try reader.messages(of: id, after: number - 1, limit: 1).first
            return message?.number == number ? message?.renderContent(to: sink) : nil
        }
    }

    /// - Parameter isSkipping: the lines in front of the page are made, too.
    private func showLines(
        from first: Int, isSkipping: Bool = true, limit: Int, or missing: AdminRefusal,
        _ render: @escaping @Sendable (TrafficReader, LineSink) throws -> BodyForm?
    ) async throws -> Record<API.BodyText> {
        let found = try await desk().read { reader in
            var text = ""
            let sink = LineSink(from: isSkipping ? first : 0, limit: limit, width: Self.maxWidth) { text += $0 + "\n" }
            let form = try render(reader, sink)
            return (form, text, sink.isCut, sink.isOver)
        }
        guard let form = found.0 else { throw missing }
        return Record {
            ($0.form, $0.text, $0.isCut) = (form, found.1, found.2)
            $0.next = found.3 ? first + limit : nil
        }
    }

    /// What the profiles know of gRPC calls.
    var calls: CallSchemas {
        guard let library = proxy.profiles?.library else { return .none }
        return CallSchemas(library.grpc, rules: library.redactionRules)
    }

    /// The request as code.
    func showCode(_ query: Record<API.CodeOf>, _ call: AdminCall) async throws -> Record<API.Code> {
        let (id, form) = (try call.identity(), query.form)
        let calls = form == .grpcurl ? calls : .none
        let found = try await desk().read { reader in try Self.request(id, reader, calls) }
        guard let request = found else { throw AdminRefusal.noExchange(id) }
        guard request.body.count <= Self.maxBodyOfCode else {
            throw AdminRefusal(
                409, "the body has more than \(Self.maxBodyOfCode >> 10) KiB, which is too long for code",
                advice: "Write it into a file: shunt show \(id) --raw request > body.bin")
        }
        guard form != .grpcurl || request.isCall else {
            throw AdminRefusal(409, "the request is no gRPC call", advice: "Take curl or another form.")
        }
        return Record {
            $0.title = form.title
            $0.code = form.text(of: request)
            $0.secrets = Set(request.secrets.map(\.replacement.digest)).count
        }
    }
}
