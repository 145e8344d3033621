import Age
import Platform

extension Command {
    static let unseal = Command(
        name: "unseal",
        summary: "Decrypt a file that was sealed with `shunt seal` or `age`.",
        usage: "unseal [--identity FILE] [-o OUT] FILE",
        details: [
            "A file that was cut or changed is refused, and OUT gets its name only when the whole file has been "
                + "verified. Standard output gets each chunk when it has been verified; exit status 1 means that the "
                + "rest could not be."
        ],
        options: [
            .identity, .passphrase, .passphraseFile,
            .value(
                "output", short: "o", "OUT", default: "FILE without .age; standard output for -", "The file to write."),
        ],
        operands: 1...1,
        examples: [
            ("With the identity of `shunt keys new`", "shunt unseal traffic.har.age"),
            ("Into a pipe", "shunt unseal -o - traffic.har.age | jq .log.version"),
        ],
        run: UnsealCommand.run)
}

/// What `shunt unseal` does.
enum UnsealCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let name = arguments.operands[0]
        guard let output = arguments.text("output") ?? usualOutput(name) else {
            throw UsageError("“\(name)” does not end in .age", advice: "Name the file to write with -o OUT.")
        }
        let file = try SealedFile(reading: name, writing: output)
        let identities = try SealIdentities.opening(name, arguments)
        try file.run { source, sink throws(AgeFailure) in
            let reader = try AgeReader(source, identities)
            var room: [UInt8] = []
            while let count = try reader.next(into: &room) { try sink.write(room, count) }
        }
        return 0
    }

    private static func usualOutput(_ name: String) -> String? {
        if name == "-" { return "-" }
        return name.hasSuffix(".age") && name.utf8.count > 4 ? String(name.dropLast(4)) : nil
    }
}
