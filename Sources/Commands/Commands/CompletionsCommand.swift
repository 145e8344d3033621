import Platform

extension Command {
    static let completions = Command(
        name: "completions",
        summary: "Write completions of commands and options for a shell.",
        usage: "completions bash|zsh|fish",
        details: [
            "They are made from the same table as --help. For bash, put `source <(shunt completions bash)` into ~/.bashrc; "
                + "for zsh, `source <(shunt completions zsh)` into ~/.zshrc, after compinit; for fish, write them to "
                + "~/.config/fish/completions/shunt.fish."
        ],
        examples: [("For this shell", "shunt completions bash")]
    ) { arguments in
        let name = arguments.operands.first ?? ""
        guard let shell = ShellCompletions(rawValue: name) else {
            throw UsageError("there are no completions for “\(name)”", advice: "Give bash, zsh or fish.")
        }
        Terminal.out(shell.text)
        return 0
    }
}

/// A shell with its completions.
enum ShellCompletions: String {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    private static var bashText: String {
        let cases = Tool.commands.map { command in
            "        \(command.name)) options='\(spellings(command).joined(separator: " "))' ;;\n"
        }
        return """
            # Completions of shunt for bash.
            _shunt() {
                local word=${COMP_WORDS[COMP_CWORD]} options=
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W '\(Tool.commands.map(\.name).joined(separator: " "))' -- "$word"))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(cases.joined())    esac
                if [[ $word == -* ]]; then
                    COMPREPLY=($(compgen -W "$options" -- "$word"))
                else
                    COMPREPLY=($(compgen -f -- "$word"))
                fi
            }
            complete -o filenames -F _shunt shunt

            """
    }

    private static var zshText: String {
        func entry(_ name: String, _ help: String) -> String {
            // `_describe` ends the name at the first colon.
            let name = name.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
            return Path.inQuotes("\(name):\(help)")
        }
        let commands = Tool.commands.map { entry($0.name, $0.summary) }.joined(separator: "\n        ")
        let cases = Tool.commands.map { command in
            let options = command.allOptions.map { entry("--" + $0.name, $0.help) }.joined(separator: " ")
            return "        \(command.name)) options=(\(options)) ;;\n"
        }
        return """
            #compdef shunt
            # Completions of shunt for zsh.
            _shunt() {
                local -a commands options
                commands=(
                    \(commands)
                )
                if ((CURRENT == 2)); then
                    _describe command commands
                    return
                fi
                case $words[2] in
            \(cases.joined())    esac
                if [[ $PREFIX == -* ]]; then _describe -o option options; else _files; fi
            }
            # Sourced, it registers itself; found along fpath, it is the function that zsh has just called.
            if [[ $funcstack[1] == _shunt ]]; then _shunt "$@"; else compdef _shunt shunt; fi

            """
    }

    private static var fishText: String {
        var lines = ["# Completions of shunt for fish."]
        for command in Tool.commands {
            lines.append(
                "complete -c shunt -f -n __fish_use_subcommand -a \(command.name) -d \(Path.inQuotes(command.summary))")
            for option in command.allOptions {
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.value == nil ? "" : " -r"
                lines.append(
                    "complete -c shunt -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)\(short)\(value)"
                        + " -d \(Path.inQuotes(option.help))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func spellings(_ command: Command) -> [String] {
        command.allOptions.flatMap { option in ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? []) }
    }
}
