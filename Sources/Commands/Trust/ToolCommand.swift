import Admin
import CSystem
import Platform

/// A command line of another program.
struct ToolCommand: Sendable {
    struct Result {
        /// As a shell has it.
        let status: CInt
        /// Standard output, and standard error behind or between it.
        let output: String

        /// The first line that says something.
        var reason: String {
            let line = output.split(separator: "\n").first { !$0.allSatisfy { $0 == " " } }
            return line.map(String.init) ?? "it ended with status \(status)"
        }
    }

    let words: [String]

    init(_ words: String...) { self.words = words }

    init(words: [String]) { self.words = words }

    /// As people would type it.
    var text: String { words.map { Path.quoted($0) }.joined(separator: " ") }

    /// Runs it to its end.
    /// - Parameter hidesErrors: leaves out what it says on standard error, for output that is read.
    func run(hidesErrors: Bool = false) -> Result {
        let line = text + (hidesErrors ? " 2>/dev/null" : " 2>&1") + " </dev/null"
        guard let stream = shunt_popen(line, "r") else {
            return Result(status: 127, output: String(cString: strerror(errno)))
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            guard count > 0 else { break }
            // A store's answer is small; the rest is read so that the program can end.
            if bytes.count < 4 << 20 { bytes += chunk[..<count] }
        }
        let status = shunt_pclose(stream)
        return Result(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F),
            output: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a program is in one of the folders of PATH.
    static func isThere(_ program: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 && Files.isRegular(program) }
        return (Terminal.variable("PATH") ?? "").split(separator: ":").contains {
            isThere("\($0)/\(program)")
        }
    }

    /// The same as root, where this process may not write to `path` itself.
    func writing(_ path: String) -> ToolCommand {
        var place = path
        while !Files.exists(place), place != "/" { place = Path.directory(of: place) }
        return access(place, W_OK) == 0 ? self : ToolCommand(words: ["sudo"] + words)
    }
}
