import Admin
import JSON
import Platform
import Synchronization

/// Standard output for results, standard error for everything else.
package enum Terminal {
    /// Asks a question, which nothing but `y` and `yes` affirms.
    static func isConfirmed(_ question: String) -> Bool {
        error(question + " [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Stands for both within a task that runs commands for a test or for `shunt mcp`.
    @TaskLocal package static var captured: CapturedTerminal?

    /// Why standard output could not be written; 0 if it could, and where its reader has closed it.
    private static let failure = Atomic<CInt>(0)

    static func out(_ text: String) { write(Array(text.utf8), to: 1) }

    /// Throws if something that a command printed is lost, as on a full disk.
    static func finish() throws {
        let code = failure.load(ordering: .relaxed)
        if code != 0 { throw CommandFailure("standard output cannot be written: \(String(cString: strerror(code)))") }
    }

    /// - Returns: false, with `errno`, if the bytes could not be written.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        guard let captured else {
            if Files.writeAll(bytes, to: descriptor) { return true }
            if descriptor == 1, errno != EPIPE { failure.store(errno, ordering: .relaxed) }
            return false
        }
        captured.write(bytes, to: descriptor)
        return true
    }

    /// Whether a standard stream is a terminal; never where it is captured.
    static func isTerminal(_ descriptor: CInt) -> Bool { captured == nil && isatty(descriptor) == 1 }

    /// What a command has done, unless `--quiet` was given.
    static func tell(_ text: String, _ arguments: Arguments) { if !arguments.has("quiet") { out(text) } }

    /// Makes sure that the standard streams are open: where a caller has closed one, the first file or socket would get
    /// its number, and messages would go there.
    package static func openStreams() {
        for descriptor in CInt(0)...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Through a pager where it is longer than the terminal.
    static func page(_ text: String, _ arguments: Arguments) throws {
        let stream = ResultStream(pager: Pager(arguments))
        stream.write(text.utf8)
        try stream.finish()
    }

    /// Of standard output; nil where that is no terminal.
    static var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard isTerminal(1), ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// A JSON value that the closure writes, with its line end.
    static func out(json: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(style: .pretty)
        json(&writer)
        write(writer.bytes + [UInt8(ascii: "\n")], to: 1)
    }

    /// The same of an object.
    static func outObject(_ members: (inout JSONWriter) -> Void) { out { $0.object(members) } }

    /// What comes on standard input; nil, with `errno`, if it cannot be read.
    ///
    /// What is longer than `limit` is cut some bytes behind it.
    static func input(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count > 0 { bytes += chunk[..<count] } else if errno != EINTR { return nil }
        }
        return bytes
    }

    /// In one piece, so that lines of other threads come before or after it.
    static func error(_ text: String) { write(Array(text.utf8), to: 2) }

    /// What went wrong, and what to do about it.
    static func complain(_ message: String, advice: String? = nil) {
        var text = "shunt: \(message)\n"
        for line in (advice ?? "").split(separator: "\n") { text += "  \(line)\n" }
        error(text)
    }

    static func complain(_ failure: CommandFailure) { complain(failure.message, advice: failure.advice) }

    /// Whether colours are welcome on a descriptor (https://no-color.org).
    static func wantsColor(on descriptor: CInt) -> Bool {
        (variable("NO_COLOR") ?? "").isEmpty && isTerminal(descriptor) && variable("TERM") != "dumb"
    }

    /// An environment variable.
    static func variable(_ name: String) -> String? {
        if let variables = captured?.variables { return variables[name] }
        return getenv(name).map { String(cString: $0) }
    }
}
