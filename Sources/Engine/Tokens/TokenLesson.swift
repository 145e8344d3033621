import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting

/// Learns the token of a profile from the response to a login, on its way to the client.
final class TokenLesson: BodyWitness {
    private let use: TokenUse
    private let coding: [UInt8]?
    /// What else wants the body.
    private let other: BodyWitness?
    /// nil once it is too long.
    private var body: [UInt8]? = []
    private static let limit = 64 << 10

    /// nil where the response teaches nothing.
    @inline(never)
    init?(
        _ use: TokenUse, _ head: borrowing ResponseHead, _ bytes: Span<UInt8>, of exchange: ClientExchange,
        _ other: BodyWitness?
    ) {
        guard case .login(let path) = use.token.settings.source, (200..<300).contains(head.status),
            path.isFor(exchange.request.array(exchange.request.head.path))
        else { return nil }
        coding = head.field(.contentEncoding).map { [UInt8](bytes.extracting($0.value)) }
        (self.use, self.other) = (use, other)
    }

    override func add(_ bytes: UnsafeRawBufferPointer) {
        other?.add(bytes)
        guard let count = body?.count else { return }
        if count + bytes.count > Self.limit { body = nil } else { body?.append(contentsOf: bytes) }
    }

    /// The response has come to its end.
    func finish(_ state: WorkerState) {
        guard let body, let content = decoded(body),
            let answer = try? TokenText.answer(in: content, path: use.token.settings.path, now: state.clock())
        else { return }
        use.token.learn(answer, now: state.core.now)
    }

    private func decoded(_ body: [UInt8]) -> [UInt8]? {
        guard let coding else { return body }
        guard let decoder = ContentDecoder.make(contentEncoding: coding.span) else { return nil }
        var content = [UInt8](repeating: 0, count: Self.limit)
        let given: Int? = content.withUnsafeMutableBytes { room in
            body.withUnsafeBytes { input in try? decoder.step(input, isLast: true, into: room).given }
        }
        return given.map { Array(content[..<$0]) }
    }
}

extension TokenLesson {
    /// The response has come to its end, and may have a token in it.
    @inline(never)
    static func finish(in exchange: ClientExchange) {
        // Not within a change of the exchange's way, or each look at that would be checked by the runtime.
        let lesson = exchange.way.lesson
        exchange.way.lesson = nil
        lesson?.finish(exchange.state)
    }
}
