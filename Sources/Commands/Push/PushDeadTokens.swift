import Bytes
import JSON
import Platform

/// The file of device tokens that are to be deleted, one object per line.
final class PushDeadTokens {
    private let descriptor: CInt?
    private var waiting: [UInt8] = []

    /// - Parameter path: nil keeps none.
    init(_ path: String?) throws {
        guard let path else {
            descriptor = nil
            return
        }
        let opened = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw FileFailure(path, "written") }
        descriptor = opened
    }

    deinit { if let descriptor { close(descriptor) } }

    /// - Parameter timestamp: of 410, in milliseconds since 1970.
    func add(_ token: String, _ reason: String, timestamp: Int64?) {
        guard descriptor != nil else { return }
        let json = JSONWriter.object {
            $0.members(["token": token, "reason": reason])
            if let timestamp { $0.member("timestamp", timestamp) }
        }
        waiting += json + [UInt8(ascii: "\n")]
    }

    func flush() throws {
        guard let descriptor, !waiting.isEmpty else { return }
        guard Files.writeAll(waiting, to: descriptor) else { throw FileFailure("the file of dead tokens", "written") }
        waiting.removeAll(keepingCapacity: true)
    }
}
