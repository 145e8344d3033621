import Filter
import JSON
import Profiles

/// What `shunt help` describes beside commands.
enum HelpTopic: String, CaseIterable {
    case filters, profiles
    case exitCodes = "exit-codes"
    case environment

    var text: String {
        switch self {
        case .filters:
            "Filters of recorded traffic, in mitmproxy's language: !, &, | and parentheses combine terms.\n\n"
                + TextTable(
                    TrafficFilter.operators.map { item in
                        ["  ~\(item.name)" + (item.argument.map { " \($0)" } ?? ""), item.meaning]
                    }
                ).text
        case .profiles: Self.profilesText
        case .exitCodes:
            "Exit status\n\n"
                + TextTable([
                    ["  0", "Done; for `replay` and `diff`: the responses are equal."],
                    ["  1", "Failed; for `replay` and `diff`: they differ."],
                    ["  2", "For `diff`: some could not be compared."],
                    ["  64", "The command line was wrong."],
                    ["  125, 126, 127", "`run`: Shunt failed, the command cannot be run, there is no such command."],
                    ["  130, 143", "A second Ctrl-C or SIGTERM ended `serve` or `demo` at once."],
                ]).text
        case .environment:
            "Environment variables\n\n"
                + TextTable([
                    ["  SHUNT_PROFILE", "The initially active profile, without --profile."],
                    ["  NO_COLOR", "No colours; TERM=dumb does the same."],
                    ["  TMPDIR", "Where `demo` and `run` make their folder."],
                    ["  XDG_DATA_HOME", "Where the list for `shunt ps` is kept, below shunt/."],
                    ["  SSL_CERT_FILE", "OpenSSL's: one more file of roots to judge origins by."],
                    ["  SSL_CERT_DIR", "OpenSSL's: another folder of system roots."],
                ]).text
        }
    }

    /// The keys with the descriptions that editors show.
    private static var profilesText: String {
        let schema = Starter.files.first { $0.name.hasSuffix(".schema.json") }?.text ?? ""
        let tree = try? JSONReader.read(schema)
        func description(_ value: JSONValue) -> String {
            // A key may leave its description to the definition that it refers to.
            let reference = value["$ref"]?.string?.split(separator: "/").last.map(String.init)
            let definition = reference.flatMap { tree?["$defs"]?[$0] }
            return (value["description"] ?? definition?["description"])?.string ?? ""
        }
        func rows(_ properties: JSONValue?) -> String {
            let members = properties?.object ?? []
            return TextTable(members.map { ["  " + $0.key, firstSentence(description($0.value))] }).text
        }
        return "Keys of a profile, Profiles/NAME.json:\n\n" + rows(tree?["properties"])
            + "\nKeys of a route:\n\n" + rows(tree?["$defs"]?["route"]?["properties"])
            + "\ndocs/profiles.md describes them all.\n"
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text }
        return text[..<end.lowerBound] + "."
    }
}
