import Platform
import Profiles
import Synchronization

/// The bytes of a mock's file, read once and again when the file has changed.
///
/// A request costs one `stat`; the one that finds the file changed reads it. Shared by all threads.
final class MockFileBody: Sendable {
    private let file: MockFile
    private let known = Mutex<(look: MockFile.Look, bytes: [UInt8])?>(nil)

    init(_ file: MockFile) { self.file = file }

    func bytes() throws(EngineFailure) -> [UInt8] {
        do throws(MockFile.Failure) {
            let look = try file.look()
            if let bytes = known.withLock({ $0?.look == look ? $0?.bytes : nil }) { return bytes }
            let bytes = try file.read()
            if look.isSettled(now: wallClock()) { known.withLock { $0 = (look, bytes) } }
            return bytes
        } catch {
            throw EngineFailure(
                .proxy, .route, status: 500, "the mock's file \(file.path) \(error.reason)",
                advice: "Put the file back, or name another one under \"file\" of the mock.")
        }
    }
}
