import HTTP
import Profiles

// The body of a request to production, if it decides whether the request may pass.
extension Admission {
    /// Longer GraphQL requests are refused unread.
    private static let longestQuery = 256 << 10
    /// Longer forms, JSON and plain texts are refused unread.
    private static let longestForm = 8 << 20

    /// The Content-Type field's value in lower case; empty if there is none.
    var contentType: String {
        sent.head.field(.contentType).map { sent.text($0.value).lowercased() } ?? ""
    }

    /// Why the request may be more than a GraphQL query; nil if it is one.
    func refusalOfGraphQL() async throws(EngineFailure) -> String? {
        var graphQL = GraphQLRequest()
        graphQL.query = sent.array(sent.head.query)
        if let name = exchange.way.tokenParameter { graphQL.query += Array("&".utf8) + name + Array("=".utf8) }
        graphQL.contentType = contentType
        for field in sent.head.fields where field.id == .other {
            let letters = sent.text(field.name).lowercased().filter(\.isLetter)
            if letters.hasSuffix("operationname") {
                graphQL.namedByFields.append(sent.text(field.value))
            }
            if letters.contains("persisted") || letters.hasSuffix("documentid") || letters.hasSuffix("queryid") {
                return "a GraphQL request whose field \(sent.text(field.name)) names a stored one"
            }
        }
        guard sent.head.framing != .none else {
            return sent.head.method == .post ? "a GraphQL request without a body" : graphQL.refusalOfURL()
        }
        if let reason = refusalOfBodyFields { return "a GraphQL request with \(reason)" }
        guard let bytes = try await content(max: Self.longestQuery) else {
            return "a GraphQL request of more than 256 KiB cannot be looked at"
        }
        let asked = graphQL
        return try await exchange.body.perform(size: bytes.count) { asked.refusal(of: bytes) }
    }

    /// Why the body may ask for a method that the route does not allow; nil if it does not.
    func refusalOfBody(_ guards: GuardSettings) async throws(EngineFailure) -> String? {
        // If all methods are allowed, nothing has to be found, and uploads of any length stream.
        let passesAll = ["POST", "PUT", "PATCH", "DELETE"].allSatisfy { guards.methods.contains($0) }
        let type = contentType
        // A call that may do anything asks for nothing more, and its messages come when they will.
        if sent.isGRPC, guards.grpc { return nil }
        guard sent.head.framing != .none, !passesAll, BodyOverride.isRead(type) || hasSeveralTypes else {
            return nil
        }
        if let reason = refusalOfBodyFields { return "content with \(reason) may ask for another method" }
        guard let bytes = try await content(max: Self.longestForm) else {
            return "a form, JSON or plain text of more than 8 MiB may ask for another method; a route that allows "
                + "POST, PUT, PATCH and DELETE lets it through"
        }
        switch try await exchange.body.perform(size: bytes.count, { BodyOverride.find(in: bytes, contentType: type) }) {
        case .unreadable(let what): return "\(what) may ask for another method"
        case .methods(let methods):
            guard let method = methods.first(where: { !guards.methods.contains($0) }) else { return nil }
            return "a request whose body asks to be taken for \(method.prefix(40)) can change something"
        }
    }

    /// The body as it would arrive, with the edits of its route; nil for a longer one.
    private func content(max: Int) async throws(EngineFailure) -> [UInt8]? {
        if let edited = exchange.way.edits?.body { return edited.count <= max ? edited : nil }
        try await exchange.body.buffer(max: max, exchange.recording)
        guard let buffered = exchange.body.buffered, buffered.isComplete else { return nil }
        return buffered.bytes
    }

    private var hasSeveralTypes: Bool { sent.head.fields.count { $0.id == .contentType } > 1 }

    /// Fields by which servers could read the body differently.
    private var refusalOfBodyFields: String? {
        if hasSeveralTypes { return "several types of content" }
        for field in sent.head.fields where field.id == .contentEncoding {
            let coding = sent.text(field.value)
            if coding.lowercased() != "identity" { return "the Content-Encoding \(coding.prefix(40))" }
        }
        return nil
    }
}
