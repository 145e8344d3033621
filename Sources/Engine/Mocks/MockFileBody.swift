import Platform
import Profiles
import Reactor
import Synchronization

/// The bytes of a mock's file, read once and again when the file has changed.
///
/// A request costs one `stat`; the one that finds the file changed has it read by a thread. Shared by all threads.
final class MockFileBody: Sendable {
    private typealias Reading = Errand<Result<Body, MockFile.Failure>>

    private struct State {
        var known: (look: MockFile.Look, body: Body)?
        var reading: (look: MockFile.Look, errand: Reading)?
    }

    private let file: MockFile
    private let state = Mutex(State())

    struct Body: Sendable {
        let bytes: [UInt8]
        /// nil where the bytes are sent as they are.
        let template: MockTemplate?
    }

    init(_ file: MockFile) { self.file = file }

    /// The present bytes, for an exchange that may have to wait for them.
    func body(for exchange: ClientExchange) async throws(EngineFailure) -> Body {
        let look: MockFile.Look
        do throws(MockFile.Failure) { look = try file.look() } catch { throw failure(error) }
        if let body = state.withLock({ $0.known?.look == look ? $0.known?.body : nil }) { return body }
        let reading = reading(look, exchange.state.threads)
        let result = try await exchange.client.onThread { waiter in await reading?.value(on: waiter) }
        do throws(MockFile.Failure) { return try result.get() } catch { throw failure(error) }
    }

    private func failure(_ failure: MockFile.Failure) -> EngineFailure {
        EngineFailure(
            .proxy, .route, status: 500, "the mock's file \(file.path) \(failure.reason)",
            advice: "Mend the file, or name another one under \"file\" of the mock.")
    }

    /// The reading of a file that looks so, begun by this call or by another one; nil where there is no thread.
    private func reading(_ look: MockFile.Look, _ threads: Threads) -> Reading? {
        // A file that may change without looking different is read for each request.
        let isSettled = look.isSettled(now: wallClock())
        let errand = Reading()
        let other = state.withLock { state -> Reading? in
            if let reading = state.reading, isSettled, reading.look == look { return reading.errand }
            state.reading = (look, errand)
            return nil
        }
        if let other { return other }
        let isStarted = threads.start { [self] in
            let result = Result { () throws(MockFile.Failure) in
                let bytes = try file.read()
                return Body(bytes: bytes, template: try file.template(of: bytes))
            }
            state.withLock { state in
                if isSettled, case .success(let body) = result { state.known = (look, body) }
                if state.reading?.errand === errand { state.reading = nil }
            }
            errand.finish(result)
        }
        if isStarted { return errand }
        state.withLock { if $0.reading?.errand === errand { $0.reading = nil } }
        return nil
    }
}
