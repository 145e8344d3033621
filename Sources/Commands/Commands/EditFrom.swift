import Inspection
import JSON
import Platform
import Profiles
import Store

/// What `shunt edit ID` does: makes a route that edits a body from a recorded exchange.
enum EditFrom {
    private static let kinds = ["set", "remove", "append", "increment"]

    /// nil where a profile is to be edited.
    static func run(_ arguments: Arguments) throws -> CInt? {
        let word = arguments.operands[0]
        let edits = try edits(arguments)
        let isNumber = Int64(word.hasPrefix("#") ? word.dropFirst() : word[...]) != nil
        guard !edits.isEmpty else {
            if let option = (["request", "profile"]).first(where: arguments.has) {
                throw UsageError("--\(option) says nothing of an edit", advice: "Add one, such as --set '$.flag=true'.")
            }
            return nil
        }
        guard isNumber else {
            throw UsageError(
                "“\(word)” is no number of an exchange", advice: "`shunt logs` lists the recorded exchanges.")
        }
        let id = try StoredTraffic.identity(word)
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        guard let record = try reader.record(id) else { throw CommandFailure.exporting(.noSuchExchange(id), nil) }
        let edit: RecordedEdit
        do throws(RecordedEdit.Obstacle) {
            edit = try RecordedEdit(reader, record, arguments.has("request") ? .request : .response, edits)
        } catch {
            throw CommandFailure("#\(id) makes no edit: \(error.reason)")
        }
        if !edit.changesBody {
            Terminal.complain(
                "the edit changes nothing in the body that was recorded",
                advice: "shunt show \(id) --raw \(arguments.has("request") ? "request" : "origin-response") has it.")
        }
        var writer = JSONWriter(style: .pretty)
        edit.writeRoute(to: &writer)
        if let name = arguments.text("profile") {
            try write(edit, writer.text, to: name, arguments)
        } else {
            Terminal.out(writer.text + "\n")
        }
        return 0
    }

    private static func edits(_ arguments: Arguments) throws -> JSONEdits {
        var edits = JSONEdits()
        edits.set = try arguments.texts("set").map { try placed("set", $0) }
        edits.append = try arguments.texts("append").map { try placed("append", $0) }
        edits.increment = try arguments.texts("increment").map { try placed("increment", $0) }
        for placed in edits.increment where placed.value.value.number == nil {
            throw UsageError("--increment \(placed.path.text) without a number", advice: "Write '$.count=1'.")
        }
        edits.remove = try arguments.texts("remove").map { text in
            guard let path = JSONPath(text), !path.steps.isEmpty else {
                throw UsageError(
                    "--remove “\(text)” is no path in JSON", advice: "Write '$.user.name' or '$.items[0]'.")
            }
            return path
        }
        return edits
    }

    /// `PATH=VALUE`; a name in brackets may have `=`, too.
    private static func placed(_ option: String, _ text: String) throws -> JSONEdits.Placed {
        for equals in text.indices where text[equals] == "=" {
            guard let path = JSONPath(String(text[..<equals])) else { continue }
            let value = String(text[text.index(after: equals)...])
            let plain = JSONValue(kind: .string(value), position: JSONPosition(offset: 0, line: 1, column: 1))
            return JSONEdits.Placed(path, JSONLiteral((try? JSONReader.read(value)) ?? plain))
        }
        throw UsageError("--\(option) “\(text)” has no path with a value", advice: "Write '$.user.name=\"Ann\"'.")
    }

    private static func write(
        _ edit: RecordedEdit, _ route: String, to name: String, _ arguments: Arguments
    ) throws {
        let project = try Project.find(arguments)
        let library = try project.load()
        guard let profile = library[name] else { throw CommandFailure.noProfile(name, in: library) }
        let file = Path.absolute(profile.file)
        let old = try Files.read(file)
        if let line = RouteInsertion.line(ofMethod: edit.method, host: edit.host, path: edit.path, in: old) {
            throw CommandFailure(
                "a route for \(edit.method) \(edit.path) is at \(profile.file):\(line)",
                advice: "Add the edit there; without --profile the route is printed.")
        }
        let new: [UInt8]
        do throws(JSONFailure) { new = try RouteInsertion.inserting([route], into: old) } catch {
            throw CommandFailure("\(profile.file):\(error)")
        }
        do throws(ProfileProblems) {
            _ = try ProfileLibrary.load(
                directory: Path.short(project.profilesDirectory), replacing: (name: Path.name(of: file), bytes: new))
        } catch {
            throw CommandFailure.profiles(error)
        }
        try FormattedFile(file).replace(new)
        Terminal.out("added  1 route to \(profile.file)\n")
    }
}
