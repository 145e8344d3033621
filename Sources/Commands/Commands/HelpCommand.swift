import Platform

extension Command {
    static let help = Command(
        name: "help",
        summary: "Describe Shunt, one command, or one subject.",
        usage: "help [COMMAND|filters|profiles|exit-codes|environment]",
        options: [
            .value("man", "DIR", "Write the manual pages of all commands and subjects into this folder instead."),
            .noPager,
        ],
        examples: [
            ("What filters are made of", "shunt help filters"), ("Manual pages, for packages", "shunt help --man man"),
        ]
    ) { arguments in
        if let folder = arguments.text("man") {
            guard arguments.operands.isEmpty else {
                throw UsageError("--man writes all pages", advice: "Leave “\(arguments.operands[0])” away.")
            }
            try Files.makeDirectory(folder)
            for page in ManualPages.all(on: ManualPages.date) {
                try Files.write(Array(page.text.utf8), to: Path.absolute(folder) + "/" + page.name, mode: 0o644)
            }
            return 0
        }
        guard let name = arguments.operands.first else {
            try Terminal.page(HelpCommand.long, arguments)
            return 0
        }
        if let topic = HelpTopic(rawValue: name) {
            try Terminal.page(topic.text, arguments)
            return 0
        }
        guard let command = Tool.commands.first(where: { $0.name == name }) else {
            let near = Nearest.match(name, in: Tool.commands.map(\.name) + HelpTopic.allCases.map(\.rawValue))
            throw UsageError(
                "there is no command “\(name)”",
                advice: near.map { "Did you mean `shunt help \($0)`?" } ?? "`shunt help` lists the commands.")
        }
        try Terminal.page(HelpText(command: command).text, arguments)
        return 0
    }
}

/// What `shunt` and `shunt help` say.
enum HelpCommand {
    private static let opening = "Shunt: one base URL in front of staging, production and local, switched live.\n"

    private static var list: String {
        let column = (Tool.commands.map(\.name.count).max() ?? 0) + 4
        return Tool.groups.map { group in
            "\(group.title):\n"
                + group.commands.map { command in
                    "  " + command.name + String(repeating: " ", count: column - command.name.count - 2)
                        + command.summary + "\n"
                }.joined()
        }.joined(separator: "\n")
    }

    static var short: String {
        opening + "\n" + list + "\nSee it at work: shunt demo. In front of servers of yours: shunt serve --origin URL. "
            + "With profiles\nin files: shunt init, then shunt serve.\n"
    }

    static var long: String {
        """
        \(opening)
        Usage: shunt COMMAND [options]

        \(list)
        `shunt COMMAND --help` describes a command with all its options and examples. `shunt help filters`, `profiles`,
        `exit-codes` and `environment` list these as tables.

        First steps in a project:
          shunt init             # writes Profiles/, and makes your CA
          shunt serve            # stays in the foreground; --detach does not
          shunt use staging      # from another terminal, while requests flow

        Words:
          client    a program that connects to Shunt: an app, a browser, a test
          origin    a server that Shunt connects to
          profile   a file in Profiles/: an environment with its routes and trust rules

        Files:
          Profiles/*.json   one profile each; comments and trailing commas are welcome
          certs/            a development CA of this project's own, if it has one; `shunt ca` says which is used
          .shunt/           state of a running Shunt, and recorded traffic; never commit it

        Environment:
          SHUNT_PROFILE     the initially active profile, without --profile
          SHUNT_PROFILES    the folder with the profiles, without --profiles
          SHUNT_IDENTITY    the file with the private key for sealed captures
          NO_COLOR          no colours

        Exit status: 0 success, 1 failure, 64 the command line was wrong, 130 and 143 ended by a second signal.

        """
    }
}
