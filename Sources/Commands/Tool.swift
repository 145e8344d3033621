import Platform

/// The command line as a whole: finds the command, reads its arguments, runs it, says what went wrong.
package enum Tool {
    static let version = "0.1.0"

    /// How the user called this program, for commands to be copied.
    static var invocation: String {
        let name = CommandLine.arguments.first ?? "shunt"
        return name.contains("/") ? Path.quoted(name) : "shunt"
    }

    /// Every command, by what one wants, in the order of the help.
    static let groups: [(title: String, commands: [Command])] = [
        ("Every day", [.initialize, .serve, .use, .logs, .inspect]),
        ("Run it", [.demo, .run, .status, .list, .reload, .stop, .doctor]),
        ("Switch and guard", [.explain, .lock, .unlock, .offline, .login, .logout]),
        ("See traffic", [.show, .stats, .export, .importing, .replay, .diff, .send, .clear, .mcp]),
        ("Mock, record, simulate", [.mocks, .session, .hold, .record, .recordings, .bridge, .network, .push]),
        ("Tests and CI", [.expect, .compare, .lint]),
        ("Trust and devices", [.authority, .trust, .clientKit, .pair, .devices, .proxy, .hosts]),
        ("Team and secrets", [.attach, .token, .audit, .keys, .seal, .unseal]),
        ("Files and shell", [.edit, .validate, .format, .completions, .version, .help]),
    ]

    static let commands = groups.flatMap(\.commands)

    package static var commandNames: [String] { commands.map(\.name) }

    /// Commands of other tools, and what does the same here.
    private static let habits = [
        "start": "serve", "up": "serve", "mock": "mocks", "down": "stop", "kill": "stop",
        "list": "ps", "encrypt": "seal", "decrypt": "unseal", "switch": "use", "select": "use",
        "completion": "completions", "tail": "logs -f", "watch": "logs -f", "follow": "logs -f", "config": "validate",
        "check": "validate", "diagnose": "doctor", "test": "expect", "restart": "reload", "info": "status",
        "env": "proxy env", "pac": "proxy pac", "untrust": "trust uninstall", "install": "trust install",
        "pin": "trust add", "cert": "ca", "certs": "ca", "rotate": "ca rotate", "web": "inspect", "ui": "inspect",
        "open": "inspect", "har": "export --har", "dump": "export --har", "rm": "clear", "delete": "clear",
        "reset": "clear", "new": "init", "create": "init", "setup": "init", "throttle": "network", "stub": "mocks",
        "breakpoint": "hold", "intercept": "hold", "resume": "hold --continue",
        "daemon": "serve",
    ]

    /// Keeps the signals that the command takes itself from ending the process; to be called on the first thread, before
    /// there is a second one, for threads inherit what is blocked.
    package static func blockSignals(of words: [String]) {
        if let signals = command(named: words.first)?.signals, !signals.isEmpty { Signals.block(signals) }
    }

    /// Runs one command line, without the program's name.
    ///
    /// - Returns: the exit status.
    package static func run(_ given: [String]) async -> CInt {
        let words = RemoteShunt.reordered(given)
        guard let name = words.first else {
            Terminal.out(HelpCommand.short)
            return 0
        }
        guard let command = command(named: name) else {
            let near = habits[name] ?? Nearest.match(name, in: commands.map(\.name))
            let advice = near.map { "Did you mean `shunt \($0)`?" } ?? "`shunt help` lists the commands."
            Terminal.complain("there is no command “\(name)”", advice: advice)
            return 64
        }
        do {
            let arguments = try read(words.dropFirst(), of: command)
            if arguments.has("help") {
                Terminal.out(HelpText(command: command).text)
                try Terminal.finish()
                return 0
            }
            try RemoteShunt.check(command, arguments)
            let status = try await command.run(arguments)
            try Terminal.finish()
            return status
        } catch {
            guard let error = error as? UsageError else {
                Terminal.complain(CommandFailure(error))
                return 1
            }
            Terminal.complain(error.message, advice: error.advice ?? "`shunt \(command.name) --help` explains it.")
            return 64
        }
    }

    static func command(named name: String?) -> Command? {
        guard let name else { return nil }
        // What people type out of habit.
        let aliases = ["--help": "help", "-h": "help", "--version": "version"]
        return commands.first { $0.name == aliases[name] ?? name }
    }

    private static func read(_ words: ArraySlice<String>, of command: Command) throws -> Arguments {
        let arguments = try Arguments(Array(words), options: command.allOptions)
        if !arguments.has("help") { try command.check(arguments) }
        return arguments
    }
}
