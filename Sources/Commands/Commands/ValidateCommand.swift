import Admin
import Engine
import JSON
import Platform
import Profiles

extension Command {
    static let validate = Command(
        name: "validate",
        summary: "Check all profiles, and list them.",
        usage: "validate [FILES…] [options]",
        details: [
            "Every problem is reported with file, line and column, and the exit status is then 1. With files, only these "
                + "profiles are listed; the others of the folder are checked as well, because profiles extend each other."
        ],
        options: [
            .strict, .set.replacing(operand: "files"),
            .value("profile", "NAME", default: "as for `shunt serve`", "The profile that --set changes."),
            .profiles.replacing(operand: "files"), .json,
        ],
        examples: [
            ("Before a commit", "shunt validate"),
            ("In CI, without personal overrides and exceptions", "shunt validate --strict"),
            ("The hosts whose certificates are not checked", "shunt validate --json | jq -r '.exceptions[].pattern'"),
        ],
        run: ValidateCommand.run)
}

/// What `shunt validate` does.
enum ValidateCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let files = arguments.operands.map { Path.absolute($0) }
        let projects = try projects(arguments, files)
        var libraries: [ProfileLibrary] = []
        var profiles: [Profile] = []
        var exceptions: [TrustRule] = []
        var problems: [ProfileProblem] = []
        for project in projects {
            do throws(ProfileProblems) {
                let library = try project.read()
                libraries.append(library)
                if arguments.has("strict") { problems += library.strictProblems }
                profiles += library.profiles.filter { files.isEmpty || files.contains(Path.absolute($0.file)) }
                exceptions += library.exceptions
            } catch {
                problems += error.all
            }
        }
        if let wanted = arguments.text("profile"), let library = libraries.first,
            !libraries.contains(where: { $0[wanted] != nil })
        {
            throw CommandFailure.noProfile(wanted, in: library)
        }
        exceptions = exceptions.filter { rule in profiles.contains { $0.name == rule.profile } }
        let shared = libraries.flatMap(\.sharedOrigins).filter { origin in
            profiles.contains { $0.name == origin.profile }
        }
        if arguments.has("json") {
            let overrides = libraries.flatMap(\.overrides)
            Terminal.out { write(profiles, overrides, exceptions, shared, problems, to: &$0) }
        } else {
            show(profiles, libraries, exceptions, shared)
            for problem in problems { Terminal.error("\(problem)\n") }
        }
        guard problems.isEmpty else { return 1 }
        // What only shows when the files are put to use, such as a CA file without a certificate.
        for library in libraries {
            try Proxy.check(library)
        }
        return 0
    }

    /// The folders to read: those of the files, else the project's.
    private static func projects(_ arguments: Arguments, _ files: [String]) throws -> [Project] {
        let texts = arguments.texts("set")
        guard !files.isEmpty else {
            let project = try Project.find(arguments)
            let wanted = arguments.text("profile")
            return [
                try project.setting(texts) { library in
                    try project.choose(wanted, from: library)
                }
            ]
        }
        var folders: [String] = []
        for file in files {
            guard Files.exists(file) else {
                throw CommandFailure(
                    "there is no file \(Path.short(file))", advice: "Name files of profiles, or none at all.")
            }
            let folder = Path.absolute(file + "/..")
            if !folders.contains(folder) { folders.append(folder) }
        }
        return folders.map { Project(profilesDirectory: $0) }
    }

    private static func show(
        _ profiles: [Profile], _ libraries: [ProfileLibrary], _ exceptions: [TrustRule], _ shared: [SharedOrigin]
    ) {
        var text = ""
        let overrides = libraries.flatMap(\.overrides).filter(\.isLaidOver)
        let column = (profiles.map(\.name.count).max() ?? 0) + 2
        for profile in profiles {
            text += profile.name + String(repeating: " ", count: column - profile.name.count)
            let count = profile.routes.count
            text += "\(Words.count(count, "route")) (\(profile.kindText))  \(profile.file)"
            let own = overrides.filter { $0.profile == profile.name && Path.isBeside($0.file, profile.file) }
            text += own.map { ", with \($0.file)" }.joined()
            let isSet = libraries.contains { $0.settings?.profile == profile.name }
            text += isSet ? ", with --set\n" : "\n"
        }
        if !exceptions.isEmpty {
            text += "\nINSECURE: certificates are NOT checked for\n"
            for exception in exceptions { text += "  \(exception.exceptionText)\n" }
        }
        if !shared.isEmpty {
            text += "\nREAD-ONLY: requests of these routes arrive at production\n"
            for origin in shared {
                text += "  \(origin.route.file):\(origin.route.line): \(origin.description)\n"
            }
        }
        Terminal.out(text)
    }

    private static func write(
        _ profiles: [Profile], _ overrides: [PersonalOverride], _ exceptions: [TrustRule], _ shared: [SharedOrigin],
        _ problems: [ProfileProblem], to writer: inout JSONWriter
    ) {
        writer.object { object in
            object.member("valid", problems.isEmpty)
            object.objects("profiles", profiles) { object, profile in
                object.members([
                    "name": profile.name, "kind": profile.kind.rawValue, "extends": profile.extends,
                    "routes": profile.routes.count, "file": profile.file,
                ])
            }
            object.objects("overrides", overrides) { object, override in
                object.members(["profile": override.profile, "file": override.file])
            }
            object.array("exceptions") { array in for rule in exceptions { rule.write(to: &array) } }
            object.array("sharedWithProduction") { array in for origin in shared { origin.write(to: &array) } }
            object.array("problems") { array in for problem in problems { problem.write(to: &array) } }
        }
    }
}
