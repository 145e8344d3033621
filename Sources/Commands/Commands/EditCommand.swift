import CSystem
import Engine
import Platform
import Profiles

extension Command {
    static let edit = Command(
        name: "edit",
        summary: "Edit a profile in your editor, or make a route that edits a body from a recorded exchange.",
        usage: "edit NAME|ID [options]",
        details: [
            "Opens a copy in $VISUAL, else $EDITOR, else vi. When the editor ends, all profiles are checked with the copy in "
                + "the file's place: without errors it replaces the file, which a running Shunt reads at once. With errors "
                + "they are listed, and on a terminal you can edit again. If you do not, the file stays as it was, and the "
                + "copy is kept.",
            "NAME may be that of a personal override, such as local.local.",
            "With ID, the number of a recorded exchange, and an edit, no editor is opened: a route for that request is "
                + "printed, which makes the edit in bodies of JSON. PATH is a place in JSON, such as $.items[0].price; VALUE is "
                + "JSON, or else a text.",
        ],
        options: [
            .value("set", "'PATH=VALUE'", repeatable: true, "With ID: a value that is set."),
            .value("remove", "PATH", repeatable: true, "With ID: a member or an item that is removed."),
            .value("append", "'PATH=VALUE'", repeatable: true, "With ID: an item that is added to an array."),
            .value("increment", "'PATH=NUMBER'", repeatable: true, "With ID: what is added to a number."),
            .flag("request", "With ID: edit the request's body, not the response's."),
            .value("profile", "NAME", "With ID: write the route into that profile, and print nothing."),
            .running, .identity, .store, .profiles,
        ],
        examples: [
            ("The local profile", "shunt edit local"),
            ("With another editor, this time", "EDITOR='code --wait' shunt edit staging"),
            ("A route that turns a flag on in a recorded response", "shunt edit 12 --set '$.features.newCart=true'"),
        ],
        run: EditCommand.run)
}

/// What `shunt edit` does.
enum EditCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        if let made = try EditFrom.run(arguments) { return made }
        let project = try Project.find(arguments)
        let path = try file(arguments.operands[0], project)
        let copy = try EditedCopy(of: path)
        while true {
            try copy.edit()
            guard try copy.isChanged() else {
                copy.remove()
                Terminal.out("Nothing changed in \(Path.short(path)).\n")
                return 0
            }
            let problems = try problems(with: copy, project)
            if problems.isEmpty {
                try copy.replaceOriginal()
                Terminal.out("wrote  \(Path.short(path))\n")
                return 0
            }
            for problem in problems { Terminal.error("\(problem)\n") }
            guard isConfirmed() else {
                throw CommandFailure(
                    "\(Path.short(path)) was left as it was",
                    advice: "What you wrote is in \(copy.path). To go on with it: cp \(Path.quoted(copy.path)) "
                        + "\(Path.quoted(Path.short(path)))")
            }
        }
    }

    /// The file of a profile or of an override; the profiles need not be valid.
    private static func file(_ name: String, _ project: Project) throws -> String {
        let names = try CommandFailure.of(advice: "Name the folder with --profiles DIR.") {
            try Files.names(in: project.profilesDirectory)
        }
        let files = names.filter { ($0.hasSuffix(".json") || $0.hasSuffix(".json5")) && !$0.hasSuffix(".schema.json") }
        if let found = files.first(where: { $0 == name || $0 == name + ".json" || $0 == name + ".json5" }) {
            return project.profilesDirectory + "/" + found
        }
        throw CommandFailure.noProfile(name, among: files.map { String($0.prefix { $0 != "." }) })
    }

    /// What is wrong with the copy, or elsewhere because of it.
    private static func problems(with copy: EditedCopy, _ project: Project) throws -> [String] {
        let directory = Path.short(project.profilesDirectory)
        let edited = (name: Path.name(of: copy.original), bytes: try copy.bytes())
        var before: [String] = []
        do throws(ProfileProblems) { _ = try ProfileLibrary.load(directory: directory) } catch {
            before = error.all.map { "\($0)" }
        }
        do throws(ProfileProblems) {
            let library = try ProfileLibrary.load(directory: directory, replacing: edited)
            do throws(ProxyError) { try Proxy.check(library) } catch {
                return [CommandFailure(error, option: "--port").line]
            }
            return []
        } catch {
            // Errors of other files, which were there before, are no reason to refuse this one.
            return error.all.map { "\($0)" }.filter {
                !before.contains($0) || $0.hasPrefix("\(directory)/\(edited.name):")
            }
        }
    }

    private static func isConfirmed() -> Bool {
        guard Terminal.isTerminal(0), Terminal.isTerminal(2) else { return false }
        Terminal.error("Edit again? [Y/n] ")
        guard let response = readLine()?.lowercased() else { return false }
        return ["", "y", "yes"].contains(response)
    }
}

/// A file's copy in a folder of its own, for an editor.
private struct EditedCopy {
    /// Links followed, so that they stay.
    let original: String
    let path: String
    private let folder: String
    private let before: [UInt8]

    init(of file: String) throws {
        original = Path.resolved(file) ?? file
        before = try Files.read(original)
        folder = try Files.makeTemporaryDirectory(named: "shunt-edit")
        path = folder + "/" + Path.name(of: file)
        try Files.write(before, to: path, mode: 0o600)
        // Editors find the schema beside the file.
        let schema = "/profile.schema.json"
        if let bytes = try? Files.read(Path.directory(of: file) + schema) {
            try Files.write(bytes, to: folder + schema, mode: 0o600)
        }
    }

    /// Waits for the editor.
    func edit() throws {
        let named = [Terminal.variable("VISUAL"), Terminal.variable("EDITOR")].compactMap { $0 }.first { !$0.isEmpty }
        let editor = named ?? "vi"
        // It has words and quotes of its own, as a shell reads them.
        let status = shunt_system(editor + " " + Path.quoted(path))
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
        guard code == 0 else {
            let isKept = try isChanged()
            if !isKept { remove() }
            throw CommandFailure(
                "the editor “\(editor)” ended with status \(code); \(Path.short(original)) was left as it was",
                advice: code == 127
                    ? "Name one that is installed: EDITOR=nano shunt edit …"
                    : isKept ? "What you wrote is in \(path)." : nil)
        }
    }

    func bytes() throws -> [UInt8] { try Files.read(path) }

    func isChanged() throws -> Bool { try bytes() != before }

    func remove() { Files.remove(folder) }

    func replaceOriginal() throws {
        let edited = try bytes()
        let isSame: Bool
        do throws(FileFailure) {
            isSame = try Files.read(original) == before
            var status = stat()
            let mode = stat(original, &status) == 0 ? UInt32(status.st_mode & 0o777) : 0o644
            if isSame { try Files.write(edited, to: original, mode: mode) }
        } catch {
            throw CommandFailure("\(error)", advice: "What you wrote is in \(path).")
        }
        guard isSame else {
            throw CommandFailure(
                "\(Path.short(original)) was changed meanwhile, and was left as it is",
                advice: "What you wrote is in \(path).")
        }
        remove()
    }
}
