import JSON
import Profiles

extension ClientExchange {
    /// Longer bodies are not looked at, and stream.
    private static let longestMatched = 1 << 20

    /// Reads the request's body for conditions and templates, which look into JSON.
    func readBodyAhead() async throws(EngineFailure) {
        try await body.buffer(max: Self.longestMatched, recording)
        guard body.isBuffered, let bytes = body.buffered?.bytes else { return request.didReadBody(nil) }
        let memory = try state.held.memory(ofTreeOf: bytes)
        let json = try await body.perform(size: bytes.count) { try? JSONReader.read(bytes, dialect: .strict) }
        request.didReadBody(json.map { Request.Content(json: $0, length: bytes.count, memory: memory) })
    }

    /// Learns what the choice of a route has asked for.
    func learn() async throws(EngineFailure) {
        if request.wantsBody { return try await readBodyAhead() }
        let questions = request.takeQuestions()
        guard !questions.isEmpty else { throw .bodyWasRead }
        let answers = try await body.perform(size: .max) { questions.map { $0.condition.isMet(by: $0) } }
        request.know(Dictionary(zip(questions.map(\.condition), answers)) { first, _ in first })
    }
}

/// A condition of a route with what it looks at, for another thread.
struct Question: RequestFacts, Sendable {
    let condition: RequestCondition
    private let query: [UInt8]
    private let values: [String]
    let json: JSONValue?

    init(_ condition: RequestCondition, _ view: RequestView) {
        self.condition = condition
        json = condition.needsBody ? view.json : nil
        query = view.queryBytes
        values =
            switch condition.subject {
            case .header(let name): view.fields(name)
            case .cookie: view.fields("cookie")
            default: []
            }
    }

    func query(_ name: String) -> [String] { RequestValues.parameters(query, named: name) }

    func fields(_ name: String) -> [String] { values }

    func cookies(_ name: String) -> [String] { RequestValues.cookies(values, named: name) }

    /// States are known at once, and are no question.
    func state(of scenario: String) -> String? { nil }
}
