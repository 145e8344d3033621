import JSON
import Platform
import Profiles

extension Command {
    static let hosts = Command(
        name: "hosts",
        summary: "Make the hosts of the profiles resolve to this machine, by a block in the hosts file.",
        usage: "hosts [add|remove] [options]",
        details: [
            "Without an argument it lists the hosts of the routes with their addresses in the hosts file. `add` writes "
                + "a marked block with 127.0.0.1 and ::1 for each of them; `remove` deletes the block, so that the "
                + "file is the same as before, byte for byte. Other lines stay as they are, also those that you added "
                + "to the block.",
            "The name `localhost`, names below it and addresses need no line. A host that is also an origin is left "
                + "out, since Shunt would connect to itself. The port is still Shunt's: https://api.shop.test:4884, or "
                + "`shunt serve --port 443`.",
        ],
        options: [
            .flag("dry-run", "Show the lines that would be added and removed; change nothing.").of("add", "remove"),
            .value("file", "FILE", default: HostsCommand.usualFile, "Another hosts file."),
            .value("profile", "NAME", default: "all of them", "Only the hosts of this profile."),
            .profiles, .quiet, .json,
        ],
        actions: [Action("add"), Action("remove")],
        examples: [
            ("What there is", "shunt hosts"), ("What would be written", "shunt hosts add --dry-run"),
            ("The hosts file is the administrator's", "sudo shunt hosts add"),
        ],
        run: HostsCommand.run)
}

/// What `shunt hosts` does.
enum HostsCommand {
    static let usualFile = "/etc/hosts"

    static func run(_ arguments: Arguments) async throws -> CInt {
        let path = arguments.text("file").map { Path.absolute($0) } ?? usualFile
        let word = arguments.operands.first
        let project = try Project.find(arguments)
        if word == nil {
            try show(path, project, arguments)
        } else {
            try change(path, project, arguments, to: word == "add" ? try hosts(project, arguments) : nil)
        }
        return 0
    }

    private static func hosts(_ project: Project, _ arguments: Arguments) throws -> ProfileHosts {
        let library = try project.load()
        guard let name = arguments.text("profile") else { return ProfileHosts(library.profiles) }
        guard let profile = library[name] else { throw CommandFailure.noProfile(name, in: library) }
        return ProfileHosts([profile])
    }

    private static func show(_ path: String, _ project: Project, _ arguments: Arguments) throws {
        let wanted = try hosts(project, arguments)
        let file: HostsFile
        let opened = try OpenHostsFile(path, forWriting: false)
        file = HostsFile(opened.bytes, project: project.root)
        let present = file.hosts
        // Also those that profiles no longer have.
        let all = wanted.hosts + present.filter { !wanted.hosts.contains($0) }
        if arguments.has("json") {
            Terminal.outObject { object in
                object.member("file", path)
                object.objects("hosts", all) { object, host in
                    object.member("host", host)
                    object.member("wanted", wanted.hosts.contains(host))
                    object.member("inBlock", present.contains(host))
                    object.member("otherAddresses", file.others(naming: host).map(\.address))
                }
                object.array("leftOut") { array in
                    for (host, reason) in wanted.left {
                        array.object(["host": host, "reason": reason])
                    }
                }
            }
            return
        }
        var rows = all.map { host in
            let state =
                switch (present.contains(host), wanted.hosts.contains(host)) {
                case (true, true): "leads here"
                case (true, false): "leads here, though no route names it any more"
                default: "not in the block"
                }
            return [host, ([state] + remarks(host, file)).joined(separator: "; ")]
        }
        rows += wanted.left.map { [$0.host, $0.reason] }
        let missing = wanted.hosts.contains { !present.contains($0) }
        let next =
            missing
            ? "\nTo let them lead here: shunt hosts add --dry-run\n"
            : file.hasBlock ? "\nTo take the block out again: shunt hosts remove\n" : ""
        Terminal.out(rows.isEmpty ? "No route names a host that needs a line.\n" : TextTable(rows).text + next)
    }

    /// What may keep a host from leading here, or other machines from finding it.
    private static func remarks(_ host: String, _ file: HostsFile) -> [String] {
        file.others(naming: host).map { "line \($0.number) leads it to \($0.address)" }
            + [ProfileHosts.publishing(host)].compactMap { $0 }
    }

    /// - Parameter hosts: nil to take the block out.
    private static func change(
        _ path: String, _ project: Project, _ arguments: Arguments, to hosts: ProfileHosts?
    ) throws {
        guard !project.root.contains(where: \.isNewline) else {
            throw CommandFailure("the folder's name has a line break, which a hosts file cannot have")
        }
        let isDry = arguments.has("dry-run")
        do throws(FileFailure) {
            let opened = try OpenHostsFile(path, forWriting: !isDry)
            let before = HostsFile(opened.bytes, project: project.root)
            var after = before
            if let hosts { after.set(hosts.hosts) } else { after.remove() }
            let isChanged = after.bytes != opened.bytes
            if isChanged, !isDry { try opened.replace(with: after.bytes) }
            report(path, before, after, hosts, isChanged: isChanged, arguments)
        } catch {
            let sudo = error.code == EACCES || error.code == EPERM
            throw CommandFailure("\(error)", advice: sudo ? "Run: \(again(arguments, path, project))" : nil)
        }
    }

    /// The same command for the administrator, who has another search path and may be in another folder.
    private static func again(_ arguments: Arguments, _ path: String, _ project: Project) -> String {
        var words = ["sudo", ProgramFile.path ?? "shunt", "hosts"] + arguments.operands
        if path != usualFile { words += ["--file", path] }
        if let name = arguments.text("profile") { words += ["--profile", name] }
        words += ["--profiles", project.profilesDirectory]
        return words.map { Path.quoted($0) }.joined(separator: " ")
    }

    private static func report(
        _ path: String, _ before: HostsFile, _ after: HostsFile, _ hosts: ProfileHosts?, isChanged: Bool,
        _ arguments: Arguments
    ) {
        let (removed, added) = isChanged ? (before.block, after.block) : ([], [])
        if arguments.has("json") {
            Terminal.outObject { object in
                object.member("file", path)
                object.member("changed", isChanged && !arguments.has("dry-run"))
                object.member("removed", removed)
                object.member("added", added)
            }
            return
        }
        var text = (removed.map { "- \($0)\n" } + added.map { "+ \($0)\n" }).joined()
        for (host, reason) in hosts?.left ?? [] { text += "Left out: \(host) \(reason)\n" }
        for host in hosts?.hosts ?? [] {
            for remark in remarks(host, after) { text += "\(host): \(remark)\n" }
        }
        if !isChanged {
            text += hosts == nil ? "There is no block of this project in \(path).\n" : "Nothing changes in \(path).\n"
        } else {
            text += arguments.has("dry-run") ? "Nothing was written to \(path) yet.\n" : "Written to \(path).\n"
        }
        if arguments.has("dry-run") { Terminal.out(text) } else { Terminal.tell(text, arguments) }
    }
}
