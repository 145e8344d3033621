import Bytes
import HTTP2

/// A notification under way, and its response.
final class PushStream: HTTP2StreamUser {
    private static let maxBody = 4096

    let stream = HTTP2Stream()
    private(set) var job: PushJob
    /// The connection, which ends its streams before it goes.
    private unowned(unsafe) let wire: PushWire
    private var sent = 0
    /// Of the final response; empty where none came.
    private var head = ""
    private(set) var body: [UInt8] = []
    private var isReported = false

    init(_ job: PushJob, on wire: PushWire) { (self.job, self.wire) = (job, wire) }

    /// Becomes another notification on the same connection.
    func begin(_ job: PushJob) {
        self.job = job
        (sent, head, isReported) = (0, "", false)
        body.removeAll(keepingCapacity: true)
    }

    /// nil where no response came.
    var status: Int? { head.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) } }

    /// The value of a response's field.
    /// - Parameter name: in small letters.
    func field(_ name: String) -> String? {
        head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name + ":") }.map {
            String($0.dropFirst(name.utf8.count + 1).drop { $0 == " " })
        }
    }

    func didReceive(_ kind: HTTP2Stream.Head) {
        guard kind == .message else { return }
        let text = String(decoding: stream.text.unsafeBytes, as: UTF8.self)
        // Interim responses come before the one that counts.
        if !text.hasPrefix("HTTP/1.1 1") { head = text }
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        body += bytes.prefix(max(0, Self.maxBody - body.count))
        stream.consume(bytes.count)
    }

    func didEnd() {
        guard !isReported else { return }
        isReported = true
        wire.finish(self)
    }

    var pending: Int { job.message.payload.count - sent }
    var isComplete: Bool { true }

    func takeTrailers() -> [UInt8] { [] }

    func take(_ count: Int, into output: inout Buffer) {
        sent += job.message.payload.withUnsafeBytes {
            output.append(UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count]))
        }
    }

    func wantsMore() {}

    func hasNoRoom() { wire.wait(self) }
}
