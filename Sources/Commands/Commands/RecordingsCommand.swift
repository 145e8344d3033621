import Bytes
import JSON
import Platform
import Recordings

extension Command {
    static let recordings = Command(
        name: "recordings",
        summary: "List the recordings beside the profiles, or the entries of one.",
        usage: "recordings [show NAME] [options]",
        details: ["Recordings are the files Recordings/*.har. The exit status is 1 if one of them cannot be read."],
        options: [.profiles, .flag("json", "JSON.")],
        actions: [Action("show", 1...1)],
        examples: [("The entries of one", "shunt recordings show checkout")],
        run: RecordingsCommand.run)
}

/// What `shunt recordings` does.
enum RecordingsCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let folder = try Project.find(arguments).root + "/Recordings"
        guard let name = arguments.operands.dropFirst().first else { return list(folder).show(arguments) }
        return try show(name, folder, arguments)
    }

    private static func list(_ folder: String) -> CommandResult {
        let names = ((try? Files.names(in: folder)) ?? []).filter { $0.hasSuffix(".har") && !$0.hasPrefix(".") }
        let all = names.map { name in
            (title: String(name.dropLast(4)), path: "\(folder)/\(name)", opened: open("\(folder)/\(name)"))
        }
        let rows = all.map { title, _, opened in
            [
                title, opened.file.map { "\($0.count)" } ?? "-",
                opened.failure ?? opened.file.map { notes($0).joined(separator: "; ") } ?? "",
            ]
        }
        let text =
            names.isEmpty
            ? "no recordings in \(Path.short(folder)): `shunt record NAME` makes one\n"
            : TextTable([["NAME", "ENTRIES", ""]] + rows, rightAligned: [1]).text
        let status: CInt = all.contains { $0.opened.failure != nil } ? 1 : 0
        return CommandResult(text, status: status) {
            $0.objects("recordings", all) { object, recording in
                object.member("name", recording.title)
                object.member("path", recording.path)
                object.member("entries", recording.opened.file?.count)
                if let isCut = recording.opened.file?.isCut { object.member("cut", isCut) }
                object.members(["skipped": recording.opened.file?.skipped, "problem": recording.opened.failure])
            }
        }
    }

    private static func show(_ name: String, _ folder: String, _ arguments: Arguments) throws -> CInt {
        let opened = open("\(folder)/\(name).har")
        guard let file = opened.file else {
            throw CommandFailure(
                "the recording \(name) \(opened.failure ?? "")", advice: "`shunt recordings` lists those there are.")
        }
        let entries = Array(file.entries.enumerated())
        let rows = entries.map { at, entry in
            ["\(at + 1)", entry.status == 0 ? "-" : "\(entry.status)", entry.method, PlainText.clean(entry.url)]
        }
        defer { if !arguments.has("json") { for note in notes(file) { Terminal.error("\(note)\n") } } }
        return CommandResult(TextTable(rows, rightAligned: [0]).text) {
            $0.members(["name": name, "cut": file.isCut, "skipped": file.skipped])
            $0.objects("entries", entries) { object, entry in
                object.member("number", entry.offset + 1)
                object.member("method", entry.element.method)
                object.member("url", entry.element.url)
                object.member("status", entry.element.status)
            }
        }.show(arguments)
    }

    private static func notes(_ file: RecordingFile) -> [String] {
        (file.isCut ? ["the end is missing"] : []) + (file.skippedText.map { ["skipped: \($0)"] } ?? [])
    }

    private static func open(_ path: String) -> (file: RecordingFile?, failure: String?) {
        do throws(RecordingFailure) { return (try RecordingFile(path: path), nil) } catch { return (nil, error.text) }
    }
}
