import Admin
import JSON
import Platform

/// Standard output for results, standard error for everything else.
enum Terminal {
    static func out(_ text: String) { Files.writeAll(Array(text.utf8), to: 1) }

    /// A JSON value that the closure writes, with its line end.
    static func out(json: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(style: .pretty)
        json(&writer)
        Files.writeAll(writer.bytes + [UInt8(ascii: "\n")], to: 1)
    }

    /// In one piece, so that lines of other threads come before or after it.
    static func error(_ text: String) { Files.writeAll(Array(text.utf8), to: 2) }

    /// What went wrong, and what to do about it.
    static func complain(_ message: String, advice: String? = nil) {
        var text = "shunt: \(message)\n"
        for line in (advice ?? "").split(separator: "\n") { text += "  \(line)\n" }
        error(text)
    }

    /// Whether colours are welcome on a descriptor (https://no-color.org).
    static func wantsColor(on descriptor: CInt) -> Bool {
        (variable("NO_COLOR") ?? "").isEmpty && isatty(descriptor) == 1 && variable("TERM") != "dumb"
    }

    /// An environment variable.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
