/// All profiles of a folder, linked and checked.
///
/// Immutable.
public final class ProfileLibrary: Sendable {
    /// Sorted by name.
    public let profiles: [Profile]
    /// Every file that was read, and so is worth watching.
    public let files: [String]

    init(profiles: [Profile], files: [String]) {
        self.profiles = profiles.sorted { $0.name < $1.name }
        self.files = files
    }

    public subscript(_ name: String) -> Profile? { profiles.first { $0.name == name } }

    /// The profile's name that a misspelt one most likely meant.
    public func nearestName(to name: String) -> String? { nearest(to: name, among: profiles.map(\.name)) }

    /// Every rule that lets any certificate pass, each once.
    public var exceptions: [TrustRule] {
        profiles.flatMap { profile in profile.trust.filter { $0.level == 0 && $0.policy == .disabled } }
    }

    /// Loads `*.json` and `*.json5` of a folder.
    ///
    /// `*.schema.json` and personal overrides (`x.local.json`) are left out.
    public static func load(directory: String) throws(ProfileProblems) -> ProfileLibrary {
        guard let names = SmallFile.names(in: directory) else {
            let reason = SmallFile.exists(directory) ? "cannot be listed" : "does not exist"
            throw ProfileProblems(problems: [
                ProfileProblem(
                    directory, nil, "the folder \(reason)", hint: "`shunt init` makes one with first profiles")
            ])
        }
        var files: [(path: String, bytes: [UInt8])] = []
        var problems: [ProfileProblem] = []
        for name in names where isProfile(name) {
            let path = SmallFile.tidy(directory + "/" + name)
            switch SmallFile.read(path) {
            case .success(let bytes): files.append((path, bytes))
            case .failure(let reason): problems.append(ProfileProblem(path, nil, "cannot be read: \(reason.text)"))
            }
        }
        guard problems.isEmpty else { throw ProfileProblems(problems: problems) }
        guard !files.isEmpty else {
            throw ProfileProblems(problems: [
                ProfileProblem(directory, nil, "the folder has no profile", hint: "`shunt init` writes a first set")
            ])
        }
        return try load(files: files)
    }

    /// Loads profiles from memory; a profile's name is its path's last part without extension.
    public static func load(files: [(path: String, bytes: [UInt8])]) throws(ProfileProblems) -> ProfileLibrary {
        var drafts: [ProfileDraft] = []
        var problems: [ProfileProblem] = []
        for (path, bytes) in files {
            let file = path.split(separator: "/").last.map(String.init) ?? path
            let name = String(file.prefix { $0 != "." })
            if !isName(name) {
                problems.append(
                    ProfileProblem(
                        path, nil, "\"\(name)\" is no name for a profile",
                        hint: "expected small letters, digits, - and _, beginning with a letter or digit"))
            }
            if let twin = drafts.first(where: { $0.name == name }) {
                problems.append(
                    ProfileProblem(path, nil, "\(twin.file) has the same profile's name", hint: "rename one"))
            }
            let (draft, found) = ProfileReader.read(name: name, file: path, bytes: bytes)
            problems += found
            drafts.append(draft)
        }
        var linker = ProfileLinker(drafts)
        let profiles = linker.link()
        problems += linker.problems
        guard problems.isEmpty else {
            throw ProfileProblems(
                problems: problems.sorted { ($0.file, $0.line, $0.column) < ($1.file, $1.line, $1.column) })
        }
        return ProfileLibrary(profiles: profiles, files: files.map(\.path))
    }

    /// The `Profiles` folder of a directory, or of one above it up to the root of its git repository.
    public static func discover(from directory: String) -> String? {
        var place = directory
        while true {
            let candidate = place == "/" ? "/Profiles" : place + "/Profiles"
            if SmallFile.isFolder(candidate) { return candidate }
            if SmallFile.exists(place + "/.git") || place == "/" || place.isEmpty { return nil }
            place = place.lastIndex(of: "/").map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "/"
        }
    }

    private static func isProfile(_ name: String) -> Bool {
        guard !name.hasPrefix("."), name.hasSuffix(".json") || name.hasSuffix(".json5") else { return false }
        return name.split(separator: ".").count == 2
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "_") else { return false }
        return name.utf8.allSatisfy(HostName.isNameByte)
    }
}
