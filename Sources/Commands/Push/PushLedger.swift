import Platform

/// The file of what was acknowledged, so that a run that was interrupted goes on where it was.
///
/// Its first line names the run; each other line a notification: its number, its mark, its status and its reason.
final class PushLedger {
    private static let head = "shunt push 1 "
    /// A larger one, in a file that was damaged, would take all memory for the marks below it.
    private static let maxNumber = 1 << 28
    /// By number; 0 for those without a response.
    private var marks: [UInt32] = []
    /// The beginning of each `apns-id`.
    private let run: UInt64
    private let descriptor: CInt?
    private var waiting: [UInt8] = []

    /// - Parameter path: nil keeps nothing.
    init(_ path: String?) throws {
        guard let path else {
            (run, descriptor) = (.random(in: .min ... .max), nil)
            return
        }
        let opened = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw FileFailure(path, "written") }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure("another `shunt push` uses \(Path.short(path))", advice: "Wait for its end.")
        }
        descriptor = opened
        var reader = LineReader(opened)
        guard let first = try Self.line(&reader, path) else {
            let new = UInt64.random(in: .min ... .max)
            (run, waiting) = (new, Array("\(Self.head)\(String(new, radix: 16))\n".utf8))
            return
        }
        let text = String(decoding: first, as: UTF8.self)
        guard text.hasPrefix(Self.head), let known = UInt64(text.dropFirst(Self.head.count), radix: 16) else {
            throw CommandFailure(
                "\(Path.short(path)) is no file of an earlier run", advice: "Name a file that is not there yet.")
        }
        run = known
        while let line = try Self.line(&reader, path) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            // The last line may have been cut.
            guard words.count == 4, let number = Int(words[0]), (1...Self.maxNumber).contains(number),
                let mark = UInt32(words[1], radix: 16)
            else { continue }
            note(number, mark)
        }
        // A cut line must not swallow the next one.
        waiting = [UInt8(ascii: "\n")]
    }

    deinit { if let descriptor { close(descriptor) } }

    private static func line(_ reader: inout LineReader, _ path: String) throws -> [UInt8]? {
        do throws(FileFailure) { return try reader.next() } catch {
            throw FileFailure(path, "read", code: error.code)
        }
    }

    private func note(_ number: Int, _ mark: UInt32) {
        while marks.count < number { marks.append(0) }
        marks[number - 1] = mark
    }

    /// Whether it was acknowledged.
    func has(_ job: PushJob) throws -> Bool {
        guard job.number <= marks.count, marks[job.number - 1] != 0 else { return false }
        guard marks[job.number - 1] == job.mark else {
            throw CommandFailure(
                "number \(job.number) of the input is another notification than in the file of the earlier run",
                advice: "Give the same input and options, or another file under --resume.")
        }
        return true
    }

    func acknowledge(_ job: PushJob, _ status: Int, _ reason: String) {
        guard descriptor != nil else { return }
        let mark = job.mark
        note(job.number, mark)
        let word = reason.filter { !$0.isWhitespace }
        waiting += "\(job.number) \(String(mark, radix: 16)) \(status) \(word.isEmpty ? "-" : word)\n".utf8
    }

    /// Writes what was acknowledged since the last call.
    func flush() throws {
        guard let descriptor, !waiting.isEmpty else { return }
        guard Files.writeAll(waiting, to: descriptor) else {
            throw CommandFailure(
                "\(FileFailure("the file of this run", "written"))",
                advice: "Notifications without a line there would be sent again by --resume.")
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// The same notification has the same `apns-id` in every attempt and run.
    func id(of job: PushJob) -> String {
        func digits(_ value: UInt64, _ count: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, count - text.count)) + text.suffix(count)
        }
        return
            "\(digits(run >> 32, 8))-\(digits(run >> 16, 4))-8\(digits(run, 3))-8000-\(digits(UInt64(job.number), 12))"
    }
}
