import Admin
import Platform

/// `shunt init --from-running`: the profiles of a running `serve --origin` as files.
struct RunningOrigins {
    let files: [(name: String, text: String)]
    /// What `--set` adds to the running one; it is in no file.
    private let set: [String]
    private let port: UInt16

    /// nil without the option.
    ///
    /// - Throws: also where a file is there already, before anything is written.
    init?(_ arguments: Arguments, _ project: Project) throws {
        guard arguments.has("from-running") else { return nil }
        let record = try RunningShunt.find(arguments)
        let running = try AdminClient(record).ask(API.origins)
        files = running.files.filter { !$0.name.contains("/") }.map { ($0.name, $0.text) }
        (set, port) = (running.set, record.port)
        let present = files.map { project.profilesDirectory + "/" + $0.name }.filter { Files.exists($0) }
        guard present.isEmpty else {
            throw CommandFailure(
                "\(present.map { Path.short($0) }.joined(separator: ", ")) \(present.count == 1 ? "is" : "are") "
                    + "there already; nothing was written",
                advice: "Name another folder: shunt init --from-running DIR.")
        }
    }

    func nextSteps(_ directory: String) -> String {
        let isHere = directory == Path.workingDirectory
        let go = isHere ? "" : "cd \(Path.quoted(Path.short(directory))) && "
        let place = port == ServeSettings.defaultPort ? "" : " -p \(port)"
        let left = set.isEmpty ? "" : "\nNot in the files is what --set says: \(set.joined(separator: ", "))\n"
        return """
            \(left)
            Next:
              1. Serve these files instead: shunt stop -p \(port) && \(go)shunt serve\(place)
              2. Add routes, mocks and trust rules to them, and commit them; they are read again when they change.

            """
    }
}
