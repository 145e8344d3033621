import Age
import Platform

/// Passphrases, from a file or from the terminal, where they are not shown.
enum PassphraseInput {
    private static let limit = 1024
    /// Ctrl-C.
    private static let interrupt: UInt8 = 3

    static func read(_ arguments: Arguments, _ prompt: String) throws -> SecretBytes {
        if let path = arguments.text("passphrase-file") {
            var bytes = try KeyFile.read(path)
            defer { wipe(&bytes) }
            var line = Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D })
            defer { wipe(&line) }
            guard !line.isEmpty else {
                throw CommandFailure("\(Path.short(path)) begins with an empty line, not a passphrase")
            }
            return SecretBytes(line)
        }
        return try ask(prompt)
    }

    /// Asked for twice, since a misspelt one would lock its owner out.
    static func new(_ arguments: Arguments) throws -> SecretBytes {
        guard arguments.text("passphrase-file") == nil else { return try read(arguments, "") }
        let (first, second) = (try ask("New passphrase: "), try ask("Once more: "))
        guard first.withBytes({ first in second.withBytes { first.elementsEqual($0) } }) else {
            throw CommandFailure("the two passphrases differ", advice: "Try again.")
        }
        return first
    }

    private static func ask(_ prompt: String) throws -> SecretBytes {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw CommandFailure(
                "there is no terminal to ask for a passphrase", advice: "Give it with --passphrase-file FILE.")
        }
        defer { close(terminal) }
        var before = termios()
        tcgetattr(terminal, &before)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Ctrl-C ends the line instead of the process, which would leave the terminal without an echo.
        silent.c_lflag &= ~tcflag_t(ISIG)
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        // Before the prompt, and without dropping input: what answers the prompt at once is neither shown nor lost.
        tcsetattr(terminal, TCSADRAIN, &silent)
        Files.writeAll(Array(prompt.utf8), to: terminal)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < limit, Platform.read(terminal, &byte, 1) == 1, byte != 0x0A, byte != interrupt {
            line.append(byte)
        }
        defer { wipe(&line) }
        tcsetattr(terminal, TCSADRAIN, &before)
        Files.writeAll([0x0A], to: terminal)
        if byte == interrupt { kill(getpid(), SIGINT) }
        guard !line.isEmpty else { throw CommandFailure("no passphrase was given") }
        return SecretBytes(line)
    }
}
