/// All profiles of a project, loaded and checked together.
public final class ProfileLibrary: Sendable {
    /// By name.
    public let profiles: [Profile]
    /// The directory they came from; nil when they came from memory.
    public let directory: String?
    /// Everything that was read, profiles and the certificates they name, to be watched.
    ///
    /// New profiles show in ``directory``.
    public let files: [String]

    private init(profiles: [Profile], directory: String?, files: [String]) {
        self.profiles = profiles
        self.directory = directory
        self.files = files
    }

    public subscript(_ name: String) -> Profile? { profiles.first { $0.name == name } }

    /// The name one most likely meant, for messages.
    public func nearestName(to name: String) -> String? { nearest(to: name, among: profiles.map(\.name)) }

    /// Every rule that switches checks off, once each, to be listed loudly at the start.
    public var exceptions: [TrustRule] {
        var seen: Set<TrustRule> = []
        return profiles.flatMap(\.trust).filter { $0.policy == .disabled && seen.insert($0).inserted }
    }

    /// Loads `*.json` and `*.json5` of a directory, apart from `*.schema.json`, `*.local.json` and hidden files.
    ///
    /// All problems of all files are thrown together.
    public static func load(directory: String) throws(ProfileProblems) -> ProfileLibrary {
        let problems = ProblemList()
        var files: [(path: String, bytes: [UInt8])] = []
        do throws(Files.Failure) {
            for name in try Files.names(in: directory) where isProfile(name) {
                let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
                // Directories and devices are not ours to read.
                if Files.exists(path), !Files.isRegular(path) { continue }
                do throws(Files.Failure) {
                    files.append((path, try Files.read(path, limit: sizeLimit + 1)))
                } catch {
                    Reporter(file: path, problems: problems).report(nil, "cannot be read: \(error.reason)")
                }
            }
        } catch {
            Reporter(file: directory, problems: problems).report(
                nil, "cannot be listed: \(error.reason)", expected: "a directory of profiles",
                hint: error.isMissing ? "`shunt init` makes one" : nil)
            throw ProfileProblems(all: problems.sorted)
        }
        if files.isEmpty, problems.all.isEmpty {
            Reporter(file: directory, problems: problems).report(
                nil, "there is no profile", expected: "a file like local.json", hint: "`shunt init` makes some")
        }
        return try load(files, directory: directory, problems)
    }

    /// Loads profiles from memory; paths count for names, messages and the places of certificates.
    public static func load(files: [(path: String, bytes: [UInt8])]) throws(ProfileProblems) -> ProfileLibrary {
        try load(files, directory: nil, ProblemList())
    }

    /// The `Profiles` of a directory or, up to the root of its git work tree, of one above; nil when there is none.
    ///
    /// Outside a work tree only the directory itself counts: anyone may have put something into `/tmp`.
    public static func discover(from directory: String) -> String? {
        let start = Files.absolute(directory)
        var path = start
        var found: String?
        while true {
            let prefix = path == "/" ? "" : path
            if found == nil, Files.isDirectory(prefix + "/Profiles") { found = prefix + "/Profiles" }
            if path == start, found != nil { return found }
            if Files.exists(prefix + "/.git") { return found }
            if path == "/" { return nil }
            path = Files.directory(of: path)
        }
    }

    /// Mocks are part of profiles, so these are not always small.
    private static let sizeLimit = 16 << 20

    private static func isProfile(_ name: String) -> Bool {
        let isJSON = name.hasSuffix(".json") || name.hasSuffix(".json5")
        return isJSON && !name.hasPrefix(".") && !name.hasSuffix(".schema.json") && !name.hasSuffix(".local.json")
    }

    private static func load(
        _ files: [(path: String, bytes: [UInt8])], directory: String?, _ problems: ProblemList
    ) throws(ProfileProblems) -> ProfileLibrary {
        var sources: [ProfileSource] = []
        for (path, bytes) in files {
            let reporter = Reporter(file: path, problems: problems)
            guard let name = profileName(path, reporter) else { continue }
            if let twin = sources.first(where: { $0.name == name }) {
                reporter.report(
                    nil, "the profile \"\(name)\" is in \(twin.file) already", expected: "one file per profile")
                continue
            }
            sources.append(
                ProfileSource(name: name, file: path, bytes: bytes, sizeLimit: sizeLimit, problems: problems))
        }
        sources.sort { $0.name < $1.name }
        let profiles = Compiler(sources: sources, problems: problems).compile()
        guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
        let certificates = sources.flatMap { $0.authorities + $0.trust.flatMap(\.authorities) }
        return ProfileLibrary(
            profiles: profiles, directory: directory, files: files.map(\.path) + Set(certificates).sorted())
    }

    /// The file's base name, which is used in header fields and on command lines.
    private static func profileName(_ path: String, _ reporter: Reporter) -> String? {
        let file = Files.name(of: path)
        let name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        let isAllowed = name.utf8.enumerated().allSatisfy { at, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: at > 0 && "-_.".utf8.contains(byte)
            }
        }
        guard isAllowed, !name.isEmpty else {
            reporter.report(
                nil, "\"\(name)\" is no name for a profile", expected: "lower-case letters, digits, `-`, `_` and `.`",
                hint: "rename the file")
            return nil
        }
        return name
    }
}
