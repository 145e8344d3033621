import Platform
import Profiles
import Reactor
import Synchronization

/// The bytes of a mock's file.
struct MockFileBody: Sendable {
    let bytes: [UInt8]
    /// nil where the bytes are sent as they are.
    let template: MockTemplate?
}

extension MockFileReading where Content == MockFileBody {
    convenience init(_ file: MockFile) {
        self.init(file) { (bytes) throws(MockFile.Failure) in
            MockFileBody(bytes: bytes, template: try file.template(of: bytes))
        }
    }
}

/// The content of a mock's file, which is read again when the file has changed.
///
/// A request costs one `stat`; the one that finds the file changed has it read by a thread. Shared by all threads.
final class MockFileReading<Content: Sendable>: Sendable {
    private typealias Reading = Errand<Result<Content, MockFile.Failure>>

    private struct State {
        var known: (look: FileLook, content: Content)?
        var reading: (look: FileLook, errand: Reading)?
    }

    private let file: MockFile
    private let read: @Sendable ([UInt8]) throws(MockFile.Failure) -> Content
    private let state = Mutex(State())

    init(_ file: MockFile, _ read: @escaping @Sendable ([UInt8]) throws(MockFile.Failure) -> Content) {
        (self.file, self.read) = (file, read)
    }

    /// The present content, for an exchange that may have to wait for it.
    func content(for exchange: ClientExchange) async throws(EngineFailure) -> Content {
        let look: FileLook
        do throws(MockFile.Failure) { look = try file.look() } catch { throw failure(error) }
        if let content = state.withLock({ $0.known?.look == look ? $0.known?.content : nil }) { return content }
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
    private func reading(_ look: FileLook, _ threads: Threads) -> Reading? {
        // A file whose times may not show a change is read for each request.
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
                try read(try file.read())
            }
            state.withLock { state in
                if isSettled, case .success(let content) = result { state.known = (look, content) }
                if state.reading?.errand === errand { state.reading = nil }
            }
            errand.finish(result)
        }
        if isStarted { return errand }
        state.withLock { if $0.reading?.errand === errand { $0.reading = nil } }
        return nil
    }
}
