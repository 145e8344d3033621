import Admin
import Platform

/// A file that appears under its name only when it is complete; standard output, or a device or a pipe, at once.
final class ExportFile {
    /// For messages.
    let name: String
    /// Where the complete file goes; nil if it is written there at once.
    private let path: String?
    private let temporary: String
    let descriptor: CInt
    private var isComplete = false
    private let temporaryGuard: TemporaryGuard?
    private var code: CInt = 0

    /// Only the user may read the file, since it has traffic.
    init(_ path: String?) throws {
        let path = path == "-" ? nil : path
        name = path ?? "standard output"
        temporary = "\(path ?? "").\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        guard let path, !Self.isDevice(path) else {
            (self.path, temporaryGuard) = (nil, nil)
            descriptor = path.map { open($0, O_WRONLY | O_CLOEXEC) } ?? 1
            guard descriptor >= 0 else {
                throw CommandFailure("\(name) cannot be written: \(String(cString: strerror(errno)))")
            }
            // A pipe whose reader has gone is an error like any other.
            signal(SIGPIPE, SIG_IGN)
            return
        }
        self.path = path
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            temporaryGuard = nil
            throw CommandFailure("\(name) cannot be written: \(String(cString: strerror(errno)))")
        }
        temporaryGuard = TemporaryGuard(temporary)
    }

    /// Nothing may take the place of `/dev/null` or of a pipe.
    private static func isDevice(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT)
    }

    deinit {
        if descriptor != 1 { close(descriptor) }
        guard path != nil else { return }
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

    func complete() throws {
        guard let path else { return }
        guard rename(temporary, path) == 0 else {
            throw CommandFailure("\(name) cannot be written: \(String(cString: strerror(errno)))")
        }
        isComplete = true
    }
}
