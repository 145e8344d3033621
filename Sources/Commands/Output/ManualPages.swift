import Bytes
import Platform

/// The manual pages: one of the whole, one of each command, one of each subject of `shunt help`.
///
/// They are made from the same tables as `--help`.
enum ManualPages {
    /// Their file names, such as `shunt-use.1`, with their text.
    static func all(on date: String) -> [(name: String, text: String)] {
        [overview(date)] + Tool.commands.map { page(of: $0, date) } + HelpTopic.allCases.map { page(of: $0, date) }
    }

    /// The day that packages are dated by, else today.
    static var date: String {
        let fixed = getenv("SOURCE_DATE_EPOCH").flatMap { Int64(String(cString: $0)) }
        return CalendarDate(daysSince1970: (fixed ?? Int64(time(nil))).dividedFloor(by: 86_400)).text
    }

    private static func overview(_ date: String) -> (name: String, text: String) {
        var page = Roff(title: "shunt", section: 1, date: date)
        page.heading("NAME")
        page.text("shunt - one base URL in front of staging, production and local, switched live")
        page.heading("SYNOPSIS")
        page.text("`shunt` COMMAND [options]")
        page.heading("DESCRIPTION")
        page.text(
            "Shunt is a reverse proxy for development: an app keeps one base URL, and the profile that is active decides "
                + "whether staging, production, a server on this machine, files, a mock or a recording responds. It "
                + "terminates TLS, judges the certificates of origins by a rule for each host, and records the traffic."
        )
        page.heading("COMMANDS")
        for group in Tool.groups {
            page.subheading(group.title)
            for command in group.commands { page.item("`shunt \(command.name)`", command.summary) }
        }
        page.heading("EXAMPLES")
        page.example("In front of two servers, without a file", "shunt serve --origin https://localhost:3000")
        page.example("In a project: write profiles and the CA, then serve", "shunt init && shunt serve")
        page.example("From another terminal, while requests flow", "shunt use staging")
        page.heading("FILES")
        page.item("Profiles/*.json", "One profile each; comments and trailing commas are allowed.")
        page.item(
            "certs/",
            "A development CA of this project's own, if it has one; `shunt ca` shows which one is used.")
        page.item(".shunt/", "The state of a running Shunt, and recorded traffic. Never commit it.")
        page.heading("SEE ALSO")
        page.references(
            Tool.commands.map { ("shunt-" + $0.name, 1) } + HelpTopic.allCases.map { ("shunt-" + $0.rawValue, 7) })
        return ("shunt.1", page.source)
    }

    private static func page(of command: Command, _ date: String) -> (name: String, text: String) {
        let name = "shunt-" + command.name
        var page = Roff(title: name, section: 1, date: date)
        page.heading("NAME")
        page.text(name + " - " + summary(command.summary))
        page.heading("SYNOPSIS")
        page.text("`shunt` " + command.usage)
        page.heading("DESCRIPTION")
        for paragraph in [command.summary] + command.details { page.text(paragraph) }
        for table in command.tables { page.table(table) }
        var group: String?
        for option in HelpText.grouped(command.allOptions) {
            if option.group != group {
                page.heading(option.group.uppercased())
                group = option.group
            }
            let short = option.short.map { "`-\($0)`, " } ?? ""
            page.item(
                short + "`--\(option.name)`" + (option.value.map { " " + $0 } ?? ""),
                HelpText.meaning(of: option, in: command))
        }
        if !command.examples.isEmpty {
            page.heading("EXAMPLES")
            for example in command.examples { page.example(example.what, example.line) }
        }
        page.heading("SEE ALSO")
        page.references([("shunt", 1), ("shunt-environment", 7), ("shunt-exit-codes", 7)])
        return (name + ".1", page.source)
    }

    private static func page(of topic: HelpTopic, _ date: String) -> (name: String, text: String) {
        let name = "shunt-" + topic.rawValue
        var page = Roff(title: name, section: 7, date: date)
        page.heading("NAME")
        page.text(name + " - " + topic.subject)
        page.heading("DESCRIPTION")
        if let opening = topic.opening { page.text(opening) }
        for section in topic.sections { page.table(section) }
        page.heading("SEE ALSO")
        page.references([("shunt", 1)])
        return (name + ".7", page.source)
    }

    /// As the line under NAME has it: without a capital and without a full stop.
    private static func summary(_ text: String) -> String {
        let line = text.hasSuffix(".") ? text.dropLast() : text[...]
        // Names keep their capital.
        guard let first = line.first, !line.hasPrefix("Shunt") else { return String(line) }
        return first.lowercased() + line.dropFirst()
    }
}
