import Admin
import JSON
import Platform
import Profiles
import TLS

extension Command {
    static let initialize = Command(
        name: "init",
        summary: "Write a commented first set of profiles, and create the development CA.",
        usage: "init [DIR] [options]",
        details: [
            "DIR, by default the working directory, gets a folder Profiles, which you commit, and a folder certs, whose "
                + ".gitignore keeps it out of git. Existing files are not overwritten; Profiles/.gitignore only gets "
                + "the lines that keep personal overrides (*.local.json) out of git, if they are missing."
        ],
        options: [.json],
        operands: 0...1,
        examples: [("In the root of your repository", "shunt init")],
        run: InitCommand.run)
}

/// What `shunt init` does.
enum InitCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws(CommandFailure) -> CInt {
        let directory = Path.absolute(arguments.operands.first ?? ".")
        let project = Project(profilesDirectory: directory + "/Profiles")
        let certificate = project.certificatesDirectory + "/ca.pem"
        var (written, changed, kept): ([String], [String], [String]) = ([], [], [])
        do {
            try Files.makeDirectory(project.profilesDirectory)
            for (name, text) in Starter.files {
                let path = project.profilesDirectory + "/" + name
                if Files.exists(path) {
                    kept.append(path)
                } else {
                    try Files.write(Array(text.utf8), to: path, mode: 0o644)
                    written.append(path)
                }
            }
            let ignored = project.profilesDirectory + "/.gitignore"
            let isThere = Files.exists(ignored)
            if try !completeIgnored(ignored) {
                kept.append(ignored)
            } else if isThere {
                changed.append(ignored)
            } else {
                written.append(ignored)
            }
            try Files.makeDirectory(project.certificatesDirectory)
            let ignore = project.certificatesDirectory + "/.gitignore"
            if try ServerCertificates.keepOutOfGit(project.certificatesDirectory) {
                written.append(ignore)
            } else {
                kept.append(ignore)
            }
            let (_, created) = try DevelopmentCA.loadOrCreate(directory: project.certificatesDirectory)
            if created { written.append(certificate) } else { kept.append(certificate) }
        } catch let error as TLSFailure {
            throw .failed("the development CA cannot be made: \(error.message)")
        } catch {
            throw .failed("\(error)", advice: "Name a folder that you may write to: shunt init DIR.")
        }
        if arguments.has("json") {
            Terminal.out { writer in
                writer.object { object in
                    object.member("written", written)
                    object.member("changed", changed)
                    object.member("kept", kept)
                    object.member("authority", certificate)
                }
            }
        } else {
            show(written, changed, kept, certificate, isHere: directory == Path.workingDirectory, directory)
        }
        return 0
    }

    /// Adds the lines that keep personal overrides out of git; false where none is missing.
    private static func completeIgnored(_ path: String) throws(FileFailure) -> Bool {
        var bytes = Files.exists(path) ? try Files.read(path) : []
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let missing = Starter.ignoredNames.filter { !lines.contains(Array($0.utf8)[...]) }
        guard !missing.isEmpty else { return false }
        if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        for name in missing { bytes += Array("\(name)\n".utf8) }
        try Files.write(bytes, to: path, mode: 0o644)
        return true
    }

    private static func show(
        _ written: [String], _ changed: [String], _ kept: [String], _ certificate: String, isHere: Bool,
        _ directory: String
    ) {
        var text = written.map { "wrote  \(Path.short($0))\n" }.joined()
        text += changed.map { "added  \(Starter.ignoredNames.joined(separator: ", ")) to \(Path.short($0))\n" }.joined()
        text += kept.map { "kept   \(Path.short($0))\n" }.joined()
        let go = isHere ? "" : "cd \(Path.quoted(Path.short(directory))) && "
        text += """

            Next:
              1. Put your hosts into \(Path.short(directory + "/Profiles"))/*.json, then: \(go)shunt validate
              2. Let this machine trust \(Path.short(certificate)), which signs what apps see:
                 \(TrustAdvice.command(certificate: Path.short(certificate)))
              3. Start: \(go)shunt serve
                 and from another terminal: \(go)shunt use staging

            """
        Terminal.out(text)
    }
}
