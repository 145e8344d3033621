import Admin
import Platform

/// A file that appears under its name only when it is complete, or standard output.
final class ExportFile {
    /// For messages.
    let name: String
    private let path: String?
    private let temporary: String
    let descriptor: CInt
    private var isComplete = false
    private var code: CInt = 0

    /// Only the user may read the file, since it has traffic.
    init(_ path: String?) throws(CommandFailure) {
        self.path = path == "-" ? nil : path
        name = self.path ?? "standard output"
        temporary = "\(path ?? "").\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        guard self.path != nil else {
            descriptor = 1
            // A pipe whose reader has gone is an error like any other.
            signal(SIGPIPE, SIG_IGN)
            return
        }
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .failed("\(name) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        guard path != nil else { return }
        close(descriptor)
        if !isComplete { unlink(temporary) }
    }

    /// Why it could not be written.
    var reason: String { String(cString: strerror(code)) }

    /// False where it could not be written.
    func append(_ bytes: [UInt8]) -> Bool {
        guard Files.writeAll(bytes, to: descriptor) else {
            code = errno
            return false
        }
        return true
    }

    /// Keeps why it could not be written.
    func fail(_ code: CInt) { self.code = code }

    func complete() throws(CommandFailure) {
        guard let path else { return }
        guard rename(temporary, path) == 0 else {
            throw .failed("\(name) cannot be written: \(String(cString: strerror(errno)))")
        }
        isComplete = true
    }
}
