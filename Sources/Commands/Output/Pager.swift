import CSystem
import Platform

/// Shows output that is longer than the terminal in a program for that, such as less.
final class Pager {
    private let command: String
    private let rows: Int
    private let columns: Int
    private var used = 0
    /// Characters of the line that is not over.
    private var column = 0
    private var isEscaped = false
    private var stream: UnsafeMutablePointer<FILE>?

    /// nil where standard output is no terminal, with `--no-pager`, and with an empty SHUNT_PAGER or PAGER.
    init?(_ arguments: Arguments) {
        guard !arguments.has("no-pager"), Terminal.isTerminal(1), Terminal.variable("TERM") != "dumb",
            let size = Terminal.size
        else { return nil }
        command = Terminal.variable("SHUNT_PAGER") ?? Terminal.variable("PAGER") ?? "less"
        (rows, columns) = (size.rows, size.columns)
        guard !command.isEmpty, command != "cat", rows > 1 else { return nil }
    }

    /// Where output goes.
    var descriptor: CInt { stream.map { fileno($0) } ?? 1 }
    var isStarted: Bool { stream != nil }

    /// Counts the lines of more output, as the terminal would break them.
    /// - Returns: whether all of it is too much for the screen.
    func count(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"): (used, column) = (used + 1, 0)
            // Colours, `ESC [ … m`, take no place.
            case 0x1B: isEscaped = true
            case UInt8(ascii: "m") where isEscaped: isEscaped = false
            case _ where isEscaped || byte & 0xC0 == 0x80: break
            default:
                column += 1
                if column > columns { (used, column) = (used + 1, 1) }
            }
        }
        // The shell's prompt needs a line, too.
        return used >= rows - 1
    }

    /// Starts the program; output stays where it is if there is none.
    func start() {
        // As git sets it: colours stay colours, and less ends at once where the text fits after all.
        if getenv("LESS") == nil { setenv("LESS", "FRX", 1) }
        fflush(nil)
        guard let program = command.split(separator: " ").first, ToolCommand.isThere(String(program)),
            let opened = shunt_popen(command, "w")
        else { return }
        stream = opened
        // Ctrl-C is the program's own; without this one it would be left alone with the terminal.
        signal(SIGINT, SIG_IGN)
    }

    /// Waits until the reader has seen enough.
    func finish() {
        guard let stream else { return }
        _ = shunt_pclose(stream)
        self.stream = nil
    }
}
