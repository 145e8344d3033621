import Bytes
import JSON
import Platform
import Recordings

extension Command {
    static let recordings = Command(
        name: "recordings",
        summary: "List the recordings beside the profiles, or the entries of one.",
        usage: "recordings [show NAME] [options]",
        details: [
            "Recordings are the files Recordings/*.har. The exit status is 1 if one of them cannot be read."
        ],
        options: [.profiles, .flag("json", "JSON.")],
        operands: 0...2,
        examples: [("The entries of one", "shunt recordings show checkout")],
        run: RecordingsCommand.run)
}

/// What `shunt recordings` does.
enum RecordingsCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws -> CInt {
        let folder = try Project.find(arguments).root + "/Recordings"
        let words = arguments.operands
        if words.isEmpty { return try list(folder, isJSON: arguments.has("json")) }
        guard words.count == 2, words[0] == "show" else {
            throw UsageError("`shunt recordings` takes nothing, or `show NAME`")
        }
        return try show(words[1], folder, isJSON: arguments.has("json"))
    }

    private static func list(_ folder: String, isJSON: Bool) throws -> CInt {
        let names = ((try? Files.names(in: folder)) ?? []).filter { $0.hasSuffix(".har") && !$0.hasPrefix(".") }
        var rows = [["NAME", "ENTRIES", ""]]
        var isBroken = false
        var writer = JSONWriter(style: .pretty)
        writer.object {
            $0.array("recordings") { array in
                for name in names {
                    let title = String(name.dropLast(4))
                    let opened = open("\(folder)/\(name)")
                    if opened.failure != nil { isBroken = true }
                    rows.append([
                        title, opened.file.map { "\($0.count)" } ?? "-",
                        opened.failure ?? opened.file.map { Self.notes($0).joined(separator: "; ") } ?? "",
                    ])
                    array.object {
                        $0.member("name", title)
                        $0.member("path", "\(folder)/\(name)")
                        $0.member("entries", opened.file?.count)
                        if let isCut = opened.file?.isCut { $0.member("cut", isCut) }
                        $0.member("skipped", opened.file?.skipped)
                        $0.member("problem", opened.failure)
                    }
                }
            }
        }
        if isJSON {
            Terminal.out(writer.text + "\n")
        } else if names.isEmpty {
            Terminal.out("no recordings in \(Path.short(folder)): `shunt record NAME` makes one\n")
        } else {
            Terminal.out(TextTable(rows, rightAligned: [1]).text)
        }
        return isBroken ? 1 : 0
    }

    private static func show(_ name: String, _ folder: String, isJSON: Bool) throws -> CInt {
        let opened = open("\(folder)/\(name).har")
        guard let file = opened.file else {
            throw CommandFailure(
                "the recording \(name) \(opened.failure ?? "")", advice: "`shunt recordings` lists those there are.")
        }
        var writer = JSONWriter(style: .pretty)
        writer.object {
            $0.member("name", name)
            $0.member("cut", file.isCut)
            $0.member("skipped", file.skipped)
            $0.array("entries") { array in
                for (at, entry) in file.entries.enumerated() {
                    array.object {
                        $0.member("number", at + 1)
                        $0.member("method", entry.method)
                        $0.member("url", entry.url)
                        $0.member("status", entry.status)
                    }
                }
            }
        }
        let rows = file.entries.enumerated().map { at, entry in
            ["\(at + 1)", entry.status == 0 ? "-" : "\(entry.status)", entry.method, PlainText.clean(entry.url)]
        }
        Terminal.out(isJSON ? writer.text + "\n" : TextTable(rows, rightAligned: [0]).text)
        if !isJSON { for note in notes(file) { Terminal.error("\(note)\n") } }
        return 0
    }

    private static func notes(_ file: RecordingFile) -> [String] {
        (file.isCut ? ["the end is missing"] : []) + (file.skippedText.map { ["skipped: \($0)"] } ?? [])
    }

    private static func open(_ path: String) -> (file: RecordingFile?, failure: String?) {
        do throws(RecordingFailure) {
            return (try RecordingFile(path: path), nil)
        } catch {
            return (nil, error.text)
        }
    }
}
