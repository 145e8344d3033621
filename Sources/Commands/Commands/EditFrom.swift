import Admin
import Exchanges
import Inspection
import JSON
import Platform
import Profiles
import Store

/// What `shunt edit ID` does: makes a route that edits a body from a recorded exchange.
enum EditFrom {
    /// nil where a profile is to be edited.
    static func run(_ arguments: Arguments) throws -> CInt? {
        let word = arguments.operands[0]
        let edits = try edits(of: "--") { arguments.texts($0) }
        guard !edits.isEmpty else {
            if let option = (["request", "profile"]).first(where: arguments.has) {
                throw UsageError("--\(option) says nothing of an edit", advice: "Add one, such as --set '$.flag=true'.")
            }
            return nil
        }
        guard StoredTraffic.number(word) != nil else {
            throw UsageError(
                "“\(word)” is no number of an exchange", advice: "`shunt logs` lists the recorded exchanges.")
        }
        let id = try StoredTraffic.identity(word)
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        let side: BodySide = arguments.has("request") ? .request : .response
        let edit = try recorded(id, reader, side, edits)
        if !edit.changesBody {
            Terminal.complain(
                unchanging, advice: "shunt show \(id) --raw \(side == .request ? "request" : "origin-response") has it."
            )
        }
        if let name = arguments.text("profile") {
            let file = try write(edit, to: name, try Project.find(arguments))
            Terminal.out("added  1 route to \(file)\n")
        } else {
            Terminal.out(route(edit) + "\n")
        }
        return 0
    }

    /// Writes a route as the admin interface asks for it.
    static func make(
        _ id: Int64, store: String, _ wanted: Record<API.NewEdit>, _ project: Project
    ) throws -> Record<API.MadeEdit> {
        let edits = try edits(of: "") { name in
            switch name {
            case "set": wanted.set ?? []
            case "remove": wanted.remove ?? []
            case "append": wanted.append ?? []
            default: wanted.increment ?? []
            }
        }
        guard !edits.isEmpty else {
            throw CommandFailure("no edit is named", advice: "Add one, such as \"set\": [\"$.flag=true\"].")
        }
        let edit = try recorded(
            id, try StoredTraffic.open(store), wanted.isRequest == true ? .request : .response, edits)
        let file = try write(edit, to: wanted.profile, project)
        return Record {
            ($0.profile, $0.file) = (wanted.profile, file)
            $0.note = edit.changesBody ? nil : unchanging
        }
    }

    private static let unchanging = "the edit changes nothing in the body that was recorded"

    private static func recorded(
        _ id: Int64, _ reader: TrafficReader, _ side: BodySide, _ edits: JSONEdits
    ) throws -> RecordedEdit {
        let record = try StoredTraffic.record(id, reader)
        do throws(RecordedEdit.Obstacle) { return try RecordedEdit(reader, record, side, edits) } catch {
            throw CommandFailure("#\(id) makes no edit: \(error.reason)")
        }
    }

    private static func route(_ edit: RecordedEdit) -> String {
        var writer = JSONWriter(style: .pretty)
        edit.writeRoute(to: &writer)
        return writer.text
    }

    /// - Parameter mark: what stands before the names of the kinds in messages.
    private static func edits(of mark: String, _ texts: (String) -> [String]) throws -> JSONEdits {
        var edits = JSONEdits()
        edits.set = try texts("set").map { try placed("\(mark)set", $0) }
        edits.append = try texts("append").map { try placed("\(mark)append", $0) }
        edits.increment = try texts("increment").map { try placed("\(mark)increment", $0) }
        for placed in edits.increment where placed.value.value.number == nil {
            throw UsageError("\(mark)increment \(placed.path.text) without a number", advice: "Write '$.count=1'.")
        }
        edits.remove = try texts("remove").map { text in
            guard let path = JSONPath(text), !path.steps.isEmpty else {
                throw UsageError(
                    "\(mark)remove “\(text)” is no path in JSON", advice: "Write '$.user.name' or '$.items[0]'.")
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
        throw UsageError("\(option) “\(text)” has no path with a value", advice: "Write '$.user.name=\"Ann\"'.")
    }

    /// Returns the profile's file.
    private static func write(_ edit: RecordedEdit, to name: String, _ project: Project) throws -> String {
        let library = try project.load()
        guard let profile = library[name] else { throw CommandFailure.noProfile(name, in: library) }
        guard profile.kind != .production || edit.profile == name else {
            throw CommandFailure(
                "#\(edit.id) did not go through \(name), whose requests would go to \(edit.origin) then",
                advice: "Take an exchange that went through \(name), or write the route by hand.")
        }
        let file = Path.absolute(profile.file)
        let old = try Files.read(file)
        if let line = RouteInsertion.line(ofMethod: edit.method, host: edit.host, path: edit.path, in: old) {
            throw CommandFailure(
                "a route for \(edit.method) \(edit.path) is at \(profile.file):\(line)",
                advice: "Add the edit there; `shunt edit \(edit.id)` without --profile prints the route.")
        }
        let new: [UInt8]
        do throws(JSONFailure) { new = try RouteInsertion.inserting([route(edit)], into: old) } catch {
            throw CommandFailure("\(profile.file):\(error)")
        }
        _ = try ProfileLibrary.load(
            directory: Path.short(project.profilesDirectory), replacing: (name: Path.name(of: file), bytes: new))
        try FormattedFile(file).replace(new)
        return profile.file
    }
}
