import Filter
import Profiles

/// What `shunt help` describes beside commands.
enum HelpTopic: String, CaseIterable {
    case filters, profiles
    case exitCodes = "exit-codes"
    case environment

    /// A table with its heading.
    struct Section {
        let title: String
        let rows: [[String]]
    }

    /// What filters are made of, by subject.
    static let filterSections = TrafficFilter.subjects.map { subject in
        Section(
            title: subject.title,
            rows: subject.operators.map { item in
                ["~\(item.name)" + (item.argument.map { " \($0)" } ?? ""), item.meaning]
            })
    }

    /// In a few words.
    var subject: String {
        switch self {
        case .filters: "filters of recorded traffic"
        case .profiles: "keys of profiles"
        case .exitCodes: "exit statuses of shunt"
        case .environment: "environment variables of shunt"
        }
    }

    var text: String {
        let tables = sections.map { section in
            section.title + "\n\n" + TextTable(section.rows.map { ["  " + $0[0]] + $0.dropFirst() }).wrapped
        }
        return (opening.map { $0 + "\n\n" } ?? "") + tables.joined(separator: "\n")
            + (self == .profiles ? "\ndocs/profiles.md describes them all.\n" : "")
    }

    /// In front of the tables.
    var opening: String? {
        self == .filters
            ? "Filters of recorded traffic, in mitmproxy's language: !, &, | and parentheses combine terms." : nil
    }

    var sections: [Section] {
        switch self {
        case .filters: Self.filterSections
        case .profiles: Self.profileKeys
        case .exitCodes:
            [
                Section(
                    title: "Exit status",
                    rows: [
                        ["0", "Done; for commands that compare or check: nothing differs or was found."],
                        [
                            "1",
                            "Failed; for `replay`, `diff`, `compare` and `mocks check`: something differs; for "
                                + "`doctor`, `lint`, `validate`, `fmt --check`: something was found.",
                        ],
                        [
                            "2",
                            "`expect`, `run --expect`: expectations are not met; `run --unused error`: entries were "
                                + "not used; `diff`: some responses could not be compared; `push`: ended at a 403.",
                        ],
                        ["64", "The command line was wrong."],
                        ["125, 126, 127", "`run`: Shunt failed, the command cannot be run, there is no such command."],
                        ["130, 143", "A second Ctrl-C or SIGTERM ended `serve` or `demo` at once."],
                    ])
            ]
        case .environment:
            [
                Section(
                    title: "Environment variables",
                    rows: [
                        ["SHUNT_PROFILE", "The initially active profile, if --profile is not given."],
                        ["SHUNT_PROFILES", "The folder with the profiles, if --profiles is not given."],
                        [
                            "SHUNT_IDENTITY",
                            "The file with the private key for sealed captures, if --identity is not given.",
                        ],
                        ["SHUNT_ADMIN", "Another machine's Shunt; SHUNT_ADMIN_CA, SHUNT_TOKEN: its CA, your token."],
                        ["NO_COLOR", "No colours; TERM=dumb does the same."],
                        ["HTTPS_PROXY", "With http_proxy, ALL_PROXY, NO_PROXY: proxies on Shunt's way to origins."],
                        ["SSLKEYLOGFILE", "As `serve --keylog`."],
                        ["OTEL_…", "Where and how spans are sent."],
                        [
                            "SHUNT_PAGER, PAGER",
                            "The pager for output that is longer than the terminal, by default less; empty or cat for "
                                + "none.",
                        ],
                        ["VISUAL, EDITOR", "The editor of `edit`, by default vi."],
                        ["TMPDIR", "Where `demo` and `run` make their folder."],
                        [
                            "XDG_DATA_HOME",
                            "Where the development CA and the list for `shunt ps` are kept, below shunt/.",
                        ],
                        ["SSL_CERT_FILE", "OpenSSL's: an additional file of roots for the certificates of origins."],
                        ["SSL_CERT_DIR", "OpenSSL's: another folder of system roots."],
                    ])
            ]
        }
    }

    /// The keys with the descriptions that editors show.
    private static var profileKeys: [Section] {
        [("Keys of a profile, Profiles/NAME.json:", "profile"), ("Keys of a route:", "route")].map { title, name in
            Section(title: title, rows: (KeyTables.rows(of: name) ?? []).map { [$0.name, firstSentence($0.meaning)] })
        }
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text }
        return text[..<end.lowerBound] + "."
    }
}
