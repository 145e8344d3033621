import Admin
import Platform
import Profiles

/// Where a project keeps what Shunt works with.
struct Project: Sendable {
    /// Absolute.
    let profilesDirectory: String
    /// Laid over a profile, whenever the profiles are read.
    var settings: RunSettings?
    /// Profiles that are in no file; those of the folder do not count then.
    var origins: OriginProfiles?
    /// Reading fails where there is any exception.
    var isStrict = false
    /// Seconds since 1970 that the ends of exceptions are compared with; nil for the clock's.
    var now: Int64?

    /// What holds the profiles, certs beside them, and `.shunt`.
    var root: String { Path.absolute(profilesDirectory + "/..") }

    var certificatesDirectory: String { root + "/certs" }

    /// Whose files are read again when they change; nil where there are none.
    var watchedDirectory: String? { origins == nil ? profilesDirectory : nil }

    /// The folder that `--profiles` names, else `$SHUNT_PROFILES`, else the next one upwards.
    static func find(_ arguments: Arguments) throws -> Project {
        if let given = named(arguments) { return Project(profilesDirectory: Path.absolute(given)) }
        let project = here
        // `shunt serve --origin` has no profiles, but keeps its state here.
        guard project.hasFiles || Files.isDirectory(project.stateDirectory) else {
            throw CommandFailure(
                "there is no folder Profiles here or further up, to the root of the git repository",
                advice: "Write a first set with `shunt init`, or name the folder with --profiles DIR.\n"
                    + "To begin without files: shunt serve --origin URL.")
        }
        return project
    }

    /// The folder that the user names, by the option or by the variable.
    static func named(_ arguments: Arguments) -> String? {
        arguments.text("profiles") ?? Terminal.variable("SHUNT_PROFILES").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The next folder upwards, or the place where it would be made.
    static var here: Project {
        let directory = Path.workingDirectory
        return Project(
            profilesDirectory: Path.absolute(ProfileLibrary.discover(from: directory) ?? directory + "/Profiles"))
    }

    /// Whether there is a folder of profiles.
    var hasFiles: Bool { Files.isDirectory(profilesDirectory) }

    /// `.shunt` beside the profiles.
    private var stateDirectory: String { AdminFile(profilesDirectory: profilesDirectory).directory }

    /// What `serve` serves: `--origin`, else the profiles of a folder.
    static func served(_ arguments: Arguments) throws -> Project {
        let texts = arguments.texts("origin")
        guard !texts.isEmpty else { return try find(arguments) }
        var origins = OriginProfiles()
        for text in texts {
            try UsageError.of("--origin “\(text)”") { try origins.add(text) }
        }
        var project = here
        project.origins = origins
        return project
    }

    /// All profiles; every problem is told where there are any.
    func load() throws -> ProfileLibrary { try read() }

    /// All profiles, with places in the spelling that the user would type.
    func read() throws(ProfileProblems) -> ProfileLibrary {
        let library =
            if let origins {
                try ProfileLibrary.load(origins, settings: settings, now: now)
            } else {
                try ProfileLibrary.load(directory: Path.short(profilesDirectory), settings: settings, now: now)
            }
        let problems = isStrict ? library.strictProblems : []
        guard problems.isEmpty else { throw ProfileProblems(all: problems) }
        return library
    }

    /// The same with what `--set` says laid over the profile that `name` chooses.
    ///
    /// - Parameter name: from all that there are.
    func setting(_ texts: [String], over name: (ProfileLibrary) throws -> String) throws -> Project {
        guard !texts.isEmpty else { return self }
        var project = self
        project.isStrict = false
        project.settings = RunSettings(profile: try name(try project.load()), texts: texts)
        project.isStrict = isStrict
        return project
    }

    /// The profile to begin with: the one named, else `$SHUNT_PROFILE`, else `local`, else the only one; of those that
    /// `--origin` names the first.
    func choose(_ name: String?, from library: ProfileLibrary) throws -> String {
        let names = library.profiles.map(\.name)
        let variable = Terminal.variable("SHUNT_PROFILE").flatMap { $0.isEmpty ? nil : $0 }
        if let wanted = name ?? variable {
            if names.contains(wanted) { return wanted }
            let source = name == nil ? " (from SHUNT_PROFILE)" : ""
            throw CommandFailure.noProfile(wanted, source, in: library)
        }
        if let first = origins?.names.first { return first }
        if names.contains("local") { return "local" }
        if names.count == 1 { return names[0] }
        let list = names.joined(separator: ", ")
        throw CommandFailure("which profile shall respond?", advice: "Name one with --profile: \(list).")
    }
}

extension CommandFailure {
    /// - Parameter source: where the name is from, if it was not given.
    static func noProfile(_ name: String, _ source: String = "", in library: ProfileLibrary) -> CommandFailure {
        noProfile(name, source, among: library.profiles.map(\.name))
    }

    static func noProfile(_ name: String, _ source: String = "", among names: [String]) -> CommandFailure {
        CommandFailure("there is no profile “\(name)”\(source)", advice: Nearest.advice(name, in: names))
    }
}
