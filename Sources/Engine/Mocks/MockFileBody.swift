import Platform
import Profiles
import Synchronization

/// The bytes of a mock's file, read once and again when the file has changed.
///
/// A request costs one `stat`; the one that finds the file changed reads it. Shared by all threads.
final class MockFileBody: Sendable {
    private let file: MockFile
    private let known = Mutex<(look: MockFile.Look, body: Body)?>(nil)

    struct Body {
        let bytes: [UInt8]
        /// nil where the bytes are sent as they are.
        let template: MockTemplate?
    }

    init(_ file: MockFile) { self.file = file }

    func body() throws(EngineFailure) -> Body {
        do throws(MockFile.Failure) {
            let look = try file.look()
            if let body = known.withLock({ $0?.look == look ? $0?.body : nil }) { return body }
            let bytes = try file.read()
            let body = Body(bytes: bytes, template: try file.template(of: bytes))
            if look.isSettled(now: wallClock()) { known.withLock { $0 = (look, body) } }
            return body
        } catch {
            throw EngineFailure(
                .proxy, .route, status: 500, "the mock's file \(file.path) \(error.reason)",
                advice: "Mend the file, or name another one under \"file\" of the mock.")
        }
    }
}
