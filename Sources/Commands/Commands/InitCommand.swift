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
            "DIR, by default the working directory, gets a folder Profiles, which you commit. Existing files are not "
                + "overwritten; Profiles/.gitignore only gets the lines that keep personal overrides (*.local.json) out "
                + "of git, if they are missing. The development CA is made in your data folder, once for all projects.",
            "With URLs it writes one profile for each, which works without a change. Without URLs it asks for them on "
                + "a terminal; without a terminal it writes an example for you to change.",
            "With --from-running it writes the profiles of a running `shunt serve --origin …`, and overwrites nothing.",
        ],
        options: [
            .value("local", "URL", "The origin of the profile local: a server on this machine."),
            .value("staging", "URL", "The origin of the profile staging."),
            .value("production", "URL", "The origin of the profile production, which is read-only."),
            .value(
                "host", "HOST", default: "every host",
                "The host in the apps' base URL, such as api.shop.test; Shunt's own address is routed, too."
            ).needing(oneOf: "local", "staging", "production"),
            .flag("from-running", "Write the profiles of a running `shunt serve --origin`.")
                .excluding("local", "staging", "production", "host"), .running.needing("from-running"),
            .flag(
                "project-ca",
                "Make a CA for this project only, in certs/, with a .gitignore that keeps it out of git."),
            .onlyFor, .keyKind,
            .quiet, .json,
        ],
        examples: [
            ("In the root of your repository", "shunt init"),
            (
                "Profiles for your own servers",
                "shunt init shop --local https://localhost:3000 --staging https://api.staging.shop.example"
            ),
        ],
        run: InitCommand.run)
}

/// What `shunt init` does.
enum InitCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let directory = Path.absolute(arguments.operands.first ?? ".")
        let project = Project(profilesDirectory: directory + "/Profiles")
        let running = try RunningOrigins(arguments, project)
        let asked = running == nil ? try InitQuestions(arguments, project)?.ask() : nil
        let origins = asked == nil ? try origins(arguments) : asked
        let profiles = running?.files ?? origins?.files ?? []
        let files =
            profiles.isEmpty ? Starter.files : profiles + Starter.files.filter { $0.name.hasSuffix(".schema.json") }
        let folder =
            arguments.has("project-ca")
            ? AuthorityFolder(path: project.certificatesDirectory, reason: .project) : AuthorityFolder(project)
        let certificate = folder.certificate
        let settings = try AuthoritySettings(arguments)
        guard !folder.exists || !(arguments.has("only-for") || arguments.has("key")) else {
            throw CommandFailure(
                "there is a CA in \(Path.short(folder.path)), which is kept as it is",
                advice: "For one of this project alone: --project-ca. To replace yours: shunt ca rotate.")
        }
        var (written, changed, kept): ([String], [String], [String]) = ([], [], [])
        var unused: [String] = []
        do {
            try Files.makeDirectory(project.profilesDirectory)
            for (name, text) in files {
                let path = project.profilesDirectory + "/" + name
                if Files.exists(path) {
                    kept.append(path)
                    let isUsed = try Files.read(path).elementsEqual(text.utf8)
                    if !isUsed, profiles.contains(where: { $0.name == name }) { unused.append(path) }
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
            if folder.reason == .project {
                let ignore = folder.path + "/.gitignore"
                if try folder.keepOutOfGit() { written.append(ignore) } else { kept.append(ignore) }
            }
            let (_, created) = try folder.loadOrCreate(settings)
            if created { written.append(certificate) } else { kept.append(certificate) }
        } catch let error as TLSFailure {
            throw CommandFailure("the development CA cannot be made: \(error.message)")
        } catch {
            throw CommandFailure("\(error)", advice: "Name a folder that you may write to: shunt init DIR.")
        }
        let text =
            written.map { "wrote  \(Path.short($0))\n" }
            + changed.map { "added  \(Starter.ignoredNames.joined(separator: ", ")) to \(Path.short($0))\n" }
            + kept.map { "kept   \(Path.short($0))\n" }
            + unused.map {
                "NOT USED: the URL for \(Path.short($0)): edit that file, or remove it and run `shunt init` again\n"
            }
        let steps = running?.nextSteps(directory) ?? nextSteps(origins?.names ?? [], folder, directory)
        return CommandResult(text.joined() + steps) {
            $0.members([
                "written": written, "changed": changed, "kept": kept, "unused": unused, "authority": certificate,
            ])
        }.show(arguments)
    }

    /// The profiles that options ask for; none without such options.
    private static func origins(_ arguments: Arguments) throws -> OriginProfiles {
        var origins = OriginProfiles()
        for name in ["local", "staging", "production"] {
            guard let url = arguments.text(name) else { continue }
            try UsageError.of("--\(name) “\(url)”") {
                try origins.add(url, profile: name, host: arguments.text("host"))
            }
        }
        return origins
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

    /// - Parameter names: the profiles that were written from URLs.
    private static func nextSteps(_ names: [String], _ folder: AuthorityFolder, _ directory: String) -> String {
        let isHere = directory == Path.workingDirectory
        let go = isHere ? "" : "cd \(Path.quoted(Path.short(directory))) && "
        let certificate = Path.short(folder.certificate)
        guard let first = names.first else {
            return """

                Next:
                  1. Put your hosts into \(Path.short(directory + "/Profiles"))/*.json, then: \(go)shunt validate
                  2. Let this machine trust \(certificate), which signs what apps see:
                     \(go)\(folder.trustCommand)
                  3. Start: \(go)shunt serve
                     and from another terminal: \(go)shunt use staging

                """
        }
        // Production becomes active by choice only, and `local` by itself.
        let beginning = names.count == 1 || first == "local" ? "" : " --profile \(first)"
        let other = names.first { $0 != first && $0 != "production" }
        let change = other.map { "\n     and from another terminal: \(go)shunt use \($0)" } ?? ""
        return """

            Next:
              1. Start: \(go)shunt serve\(beginning)\(change)
              2. Set the base URL of your app to https://localhost:\(ServeSettings.defaultPort)
              3. Let this machine trust \(certificate), which signs what apps see:
                 \(go)\(folder.trustCommand)

            """
    }
}
