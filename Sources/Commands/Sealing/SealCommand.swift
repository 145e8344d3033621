import Age
import Platform

extension Command {
    static let seal = Command(
        name: "seal",
        summary: "Encrypt a file so that only its recipients can open it.",
        usage: "seal --to RECIPIENT [-o OUT] FILE",
        details: [
            "Writes the format of age (age-encryption.org/v1), which the tool `age` opens, too. No private key is "
                + "needed. OUT gets its name only when it is complete."
        ],
        options: [
            .to, .flag("passphrase", "Seal it with a passphrase instead.").excluding("to"),
            .passphraseFile.excluding("to"),
            .flag("armor", short: "a", "Text instead of bytes, for mail and the like."),
            .value("output", short: "o", "OUT", default: "FILE.age; standard output for -", "The file to write."),
            .profiles,
        ],
        operands: 1...1,
        examples: [
            ("To the recipients of the project", "shunt seal traffic.har"),
            ("As text, for mail", "shunt seal -a --to Profiles/recipients.txt -o traffic.txt traffic.har"),
        ],
        run: SealCommand.run)
}

/// What `shunt seal` does.
enum SealCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let name = arguments.operands[0]
        let recipients: [any AgeRecipient]
        if arguments.has("passphrase") || arguments.has("passphrase-file") {
            recipients = [Passphrase(try PassphraseInput.new(arguments))]
        } else {
            recipients = try SealRecipients.read(arguments)
        }
        let output = arguments.text("output") ?? (name == "-" ? "-" : name + ".age")
        let file = try SealedFile(reading: name, writing: output)
        try file.run { source, sink throws(AgeFailure) in
            let armor = arguments.has("armor") ? try ArmorSink(sink) : nil
            let writer = try AgeWriter(to: armor ?? sink, recipients)
            var room = [UInt8](repeating: 0, count: SealedFile.size)
            while let count = try source.next(&room) { try writer.write(room, count) }
            try writer.finish()
            try armor?.finish()
        }
        return 0
    }
}
