import Admin
import Platform

/// A Shunt that a command reaches by its URL, and the token with which it does.
enum RemoteShunt {
    static let options: [Option] = [
        Option.value(
            "admin", "URL", default: "$SHUNT_ADMIN, else the Shunt of this machine",
            "The admin interface of a Shunt elsewhere, such as https://gateway:4885. May stand before the command."
        ).excluding("port"),
        .value(
            "admin-ca", "FILE", default: "$SHUNT_ADMIN_CA, else none",
            "The CA of its certificate (PEM), in addition to the system's."),
        .value(
            "token-file", "FILE", default: "$SHUNT_TOKEN for a Shunt named by --admin or SHUNT_ADMIN, else the owner's",
            "A file with the token of a user, which others cannot read."),
    ].map { $0.under("A gateway of several people") }

    /// Moves such options from before the command to behind it.
    static func reordered(_ words: [String]) -> [String] {
        var rest = words[...]
        var moved: [String] = []
        while let word = rest.first, let option = options.first(where: { isOption(word, $0) }) {
            moved.append(rest.removeFirst())
            if word == "--\(option.name)", let value = rest.popFirst() { moved.append(value) }
        }
        guard !moved.isEmpty, let command = rest.popFirst() else { return words }
        return [command] + moved + rest
    }

    private static func isOption(_ word: String, _ option: Option) -> Bool {
        word == "--\(option.name)" || word.hasPrefix("--\(option.name)=")
    }

    /// The URL that is named; the variable does not count where a Shunt of this machine is.
    private static func url(_ arguments: Arguments) -> String? {
        if let url = arguments.text("admin") { return url }
        let isHere = ["port", "profiles", "store", "har"].contains(where: arguments.has)
        return isHere ? nil : variable("SHUNT_ADMIN")
    }

    static func isNamed(_ arguments: Arguments) -> Bool { url(arguments) != nil }

    /// Fails where a Shunt elsewhere is named and the command only knows those of this machine.
    static func check(_ command: Command, _ arguments: Arguments) throws {
        guard !command.canBeRemote, command.options.contains(where: \.isRunning), isNamed(arguments) else { return }
        throw CommandFailure(
            "`shunt \(command.name)` works with Shunts of this machine, and SHUNT_ADMIN names one elsewhere",
            advice:
                "Its traffic is in the inspector: `shunt inspect`. For this machine unset SHUNT_ADMIN, or add -p PORT.")
    }

    /// The Shunt that is named by its URL; nil without one.
    static func find(_ arguments: Arguments) throws -> AdminRecord? {
        guard let url = url(arguments) else { return nil }
        guard var address = AdminAddress(url: url) else {
            throw UsageError(
                "“\(url)” is no URL of an admin interface",
                advice: "Write https://HOST:PORT; http:// is spoken with 127.0.0.1 alone.")
        }
        address.authority = (arguments.text("admin-ca") ?? variable("SHUNT_ADMIN_CA")).map { Path.absolute($0) }
        guard let token = try token(arguments) else {
            throw CommandFailure(
                "\(address.url) needs a token",
                advice: "Put yours into SHUNT_TOKEN, or name its file with --token-file; "
                    + "the person who runs that Shunt makes one with `shunt token new NAME`.")
        }
        return AdminRecord(remote: address, token: token)
    }

    /// The token of a user; nil where none is named.
    ///
    /// The variable's goes to a Shunt that was named alone: a file in a folder that came from elsewhere names another.
    static func token(_ arguments: Arguments) throws -> String? {
        guard let file = arguments.text("token-file") else {
            return isNamed(arguments) ? variable("SHUNT_TOKEN").map(trimmed) : nil
        }
        let advice = "The token's file must be yours alone: chmod 600 \(Path.quoted(file))"
        let bytes = try CommandFailure.of(advice: advice) {
            try Files.read(file, limit: 4096) { status in
                status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0 ? EPERM : nil
            }
        }
        return trimmed(String(decoding: bytes, as: UTF8.self))
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace })
    }

    private static func variable(_ name: String) -> String? {
        Terminal.variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
