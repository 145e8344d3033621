extension Command {
    static let help = Command(
        name: "help",
        summary: "Explain Shunt, or one command.",
        usage: "help [COMMAND]",
        operands: 0...1
    ) { (arguments) async throws(CommandFailure) in
        guard let name = arguments.operands.first else {
            Terminal.out(HelpCommand.long)
            return 0
        }
        guard let command = Tool.commands.first(where: { $0.name == name }) else {
            let near = Nearest.match(name, in: Tool.commands.map(\.name))
            throw .usage(
                UsageError(
                    "there is no command “\(name)”",
                    advice: near.map { "Did you mean `shunt help \($0)`?" } ?? "`shunt help` lists the commands."))
        }
        Terminal.out(HelpText(command: command).text)
        return 0
    }
}

/// What `shunt` and `shunt help` say.
enum HelpCommand {
    private static let opening = "Shunt: one base URL in front of staging, production and local, switched live.\n"

    private static var list: String {
        let column = (Tool.commands.map(\.name.count).max() ?? 0) + 4
        return Tool.commands.map { command in
            "  " + command.name + String(repeating: " ", count: column - command.name.count - 2) + command.summary
                + "\n"
        }.joined()
    }

    static var short: String {
        opening + "\n" + list + "\nSee it at work: shunt demo. In a project of yours: shunt init, then shunt serve.\n"
    }

    static var long: String {
        """
        \(opening)
        Usage: shunt COMMAND [options]

        \(list)
        `shunt COMMAND --help` explains a command with all its options and with examples.

        First steps in a project:
          shunt init             # writes Profiles/ and certs/
          shunt serve            # stays in the foreground
          shunt use staging      # from another terminal, while requests flow

        Words:
          client    who connects to Shunt: an app, a browser, a test
          origin    whom Shunt connects to for a response
          profile   a file in Profiles/: an environment with its routes and trust rules

        Files:
          Profiles/*.json   one profile each; comments and trailing commas are welcome
          certs/            the development CA; ca.pem is what clients have to trust
          .shunt/           how a running Shunt is reached, and what passed; never to be committed

        Environment:
          SHUNT_PROFILE     the profile to begin with, where --profile is not given
          NO_COLOR          no colours

        Exit status: 0 done, 1 it did not work, 64 the command line was wrong, 130 and 143 ended by a second signal.

        """
    }
}
