import JSON

extension ClientExchange {
    /// Longer bodies are not looked at, and stream.
    private static let longestMatched = 1 << 20

    /// Reads the request's body for conditions and templates, which look into JSON.
    func readBodyAhead() async throws(EngineFailure) {
        try await body.buffer(max: Self.longestMatched, recording)
        let json = body.isBuffered ? body.buffered.flatMap { try? JSONReader.read($0.bytes, dialect: .strict) } : nil
        request.didReadBody(json)
    }
}
