import GraphQL
import JSON

/// Calls of GraphQL as people write them: the document in lines, then the variables.
enum GraphQLText {
    /// False for JSON that is no call, and for what is cut.
    static func render(_ body: Content, to sink: LineSink) -> Bool {
        guard !body.isCut, body.bytes.count <= GraphQLCall.limit, GraphQLCall.mayHaveCall(body.bytes),
            let value = try? JSONReader.read(Array(body.bytes), dialect: .strict, sizeLimit: GraphQLCall.limit)
        else { return false }
        if let call = GraphQLCall(message: body.bytes), let payload = value["payload"] {
            write(value, without: ["payload"], to: sink)
            write(call, payload, to: sink)
            return true
        }
        let calls = GraphQLCall.all(in: value)
        for (index, call) in calls.enumerated() {
            if index > 0 { sink.add("") }
            write(call, value.array?[index] ?? value, to: sink)
        }
        return !calls.isEmpty
    }

    /// A document in one line gets lines of its own; another one keeps those of its client.
    static func render(document: String, to sink: LineSink) {
        let isOneLine = !document.contains(where: \.isNewline)
        if isOneLine, let lines = try? GraphQLDocument(document).lines {
            for line in lines { sink.add(line) }
        } else {
            for line in document.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                sink.add(line)
            }
        }
    }

    private static func write(_ call: GraphQLCall, _ value: JSONValue, to sink: LineSink) {
        guard let document = call.document else { return write(value, without: [], to: sink) }
        render(document: document, to: sink)
        // The document has the name, unless it has several.
        let isNamed = GraphQLOperation.read(Array(document.utf8))?.count == 1
        write(value, without: isNamed ? ["query", "operationName"] : ["query"], to: sink)
    }

    /// The other members, of which those that say nothing are left out.
    private static func write(_ value: JSONValue, without names: [String], to sink: LineSink) {
        let members = (value.object ?? []).filter { member in
            !names.contains(member.key) && !member.value.isNull && member.value.object?.isEmpty != true
        }
        guard !members.isEmpty else { return }
        let json = JSONWriter.object { object in
            for member in members { object.member(member.key, member.value) }
        }
        _ = JSONLayout.render(json[...], isCut: false, to: sink)
    }
}
