import Platform

extension ProfileLibrary {
    /// Loads `*.json` and `*.json5` of a directory, apart from `*.schema.json` and hidden files.
    ///
    /// `NAME.local.json` is laid over `NAME.json`. All problems of all files are thrown together.
    /// - Parameters:
    ///   - settings: the overrides of one profile for this run.
    ///   - now: seconds since 1970 that dates of exceptions are compared with; nil for the clock's.
    ///   - replacing: the bytes that count for the file of that name in the folder.
    public static func load(
        directory: String, settings: RunSettings? = nil, now: Int64? = nil,
        replacing: (name: String, bytes: [UInt8])? = nil
    ) throws(ProfileProblems) -> ProfileLibrary {
        let problems = ProblemList()
        var files: [(path: String, bytes: [UInt8])] = []
        do throws(FileFailure) {
            for name in try Files.names(in: directory) where isProfile(name) {
                let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
                if let replacing, replacing.name == name {
                    files.append((path, replacing.bytes))
                    continue
                }
                // Directories and devices are not ours to read.
                if Files.exists(path), !Files.isRegular(path) { continue }
                do throws(FileFailure) { files.append((path, try Files.read(path, limit: sizeLimit + 1))) } catch {
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
        return try load(files, directory, settings, now, problems)
    }

    /// Loads profiles from memory; paths count for names, messages and the places of certificates.
    ///
    /// - Parameters:
    ///   - settings: the overrides of one profile for this run.
    ///   - now: seconds since 1970 that dates of exceptions are compared with; nil for the clock's.
    public static func load(
        files: [(path: String, bytes: [UInt8])], settings: RunSettings? = nil, now: Int64? = nil
    ) throws(ProfileProblems) -> ProfileLibrary {
        try load(files, nil, settings, now, ProblemList())
    }

    /// Mocks are part of profiles, so these are not always small.
    private static let sizeLimit = 16 << 20

    private static func isProfile(_ name: String) -> Bool {
        let isJSON = name.hasSuffix(".json") || name.hasSuffix(".json5")
        return isJSON && !name.hasPrefix(".") && !name.hasSuffix(".schema.json")
    }

    private static func load(
        _ files: [(path: String, bytes: [UInt8])], _ directory: String?, _ settings: RunSettings?, _ now: Int64?,
        _ problems: ProblemList
    ) throws(ProfileProblems) -> ProfileLibrary {
        let today = now.map { CalendarDay(second: $0) } ?? .today()
        var named: [ProfileFile] = []
        for (path, bytes) in files {
            guard let file = ProfileFile(path, bytes, problems) else { continue }
            if let twin = named.first(where: { $0.name == file.name && $0.isPersonal == file.isPersonal }) {
                let what = file.isPersonal ? "personal override of " : "profile "
                Reporter(file: path, problems: problems).report(
                    nil, "the \(what)\"\(file.name)\" is in \(twin.path) already", expected: "one file per profile")
                continue
            }
            named.append(file)
        }
        var lists: [(file: String, problems: ProblemList)] = []
        func source(_ file: ProfileFile, _ role: ProfileSource.Role) -> ProfileSource {
            let own = ProblemList()
            lists.append((file.path, own))
            return ProfileSource(
                name: file.name, file: file.path, bytes: file.bytes, role: role, sizeLimit: sizeLimit, today: today,
                problems: own)
        }
        let isShared = { (file: ProfileFile) in named.contains { $0.name == file.name && !$0.isPersonal } }
        var sources = named.filter { !$0.isPersonal || !isShared($0) }.map { source($0, .whole) }
            .sorted { $0.name < $1.name }
        let kind = { (name: String) in sources.first { $0.name == name }?.kind }
        var overlays = named.filter { $0.isPersonal && isShared($0) }.map { source($0, .overlay(of: kind($0.name))) }
        if let settings {
            if !sources.contains(where: { $0.name == settings.profile }) {
                Reporter(file: RunSettings.file, problems: problems).report(
                    nil, "there is no profile \"\(settings.profile)\" to be laid over",
                    expected: "one of \(sources.map(\.name).joined(separator: ", "))")
            }
            overlays.insert(settings.source(over: kind(settings.profile), today: today, in: directory, problems), at: 0)
        }
        // Contracts of bridges and APIs may lie among the profiles, and are none.
        let contracts = lists.reduce(into: Set<String>()) { $0.formUnion($1.problems.contracts) }
        let isProfile = { (file: String) in !contracts.contains(Path.absolute(file)) }
        sources.removeAll { !isProfile($0.file) }
        for list in lists where isProfile(list.file) { list.problems.all.forEach(problems.add) }
        let profiles = Compiler(sources: sources, overlays: overlays, problems: problems).compile()
        guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
        let certificates = (sources + overlays).flatMap { $0.authorities + $0.trust.flatMap(\.policy.files) }
        let injected = (sources + overlays).flatMap(\.routes).flatMap {
            ($0.changes?.files ?? []) + $0.recordings + ($0.grpc?.files ?? [])
        }
        let documents = (sources + overlays).flatMap { source in
            ([source.contract] + source.routes.map(\.contractUse)).flatMap { $0?.files ?? [] }
        }
        return ProfileLibrary(
            profiles: profiles,
            overrides: named.filter(\.isPersonal).sorted { $0.name < $1.name }.map {
                PersonalOverride(profile: $0.name, file: $0.path, isLaidOver: isShared($0))
            },
            settings: settings, directory: directory,
            files: files.map(\.path) + Set(certificates + injected + documents).sorted(),
            sealing: StoreSealing((sources + overlays).compactMap(\.sealing)))
    }
}

/// A file with the profile that it is for.
private struct ProfileFile {
    let path: String
    let bytes: [UInt8]
    let name: String
    /// `NAME.local.json`.
    let isPersonal: Bool

    /// Reports a name that no profile may have.
    init?(_ path: String, _ bytes: [UInt8], _ problems: ProblemList) {
        (self.path, self.bytes) = (path, bytes)
        let file = Path.name(of: path)
        var name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        isPersonal = name.hasSuffix(".local")
        if isPersonal { name.removeLast(".local".count) }
        self.name = name
        guard isProfileName(name) else {
            Reporter(file: path, problems: problems).report(
                nil, "\"\(name)\" is no name for a profile", expected: "lower-case letters, digits, `-`, `_` and `.`",
                hint: "rename the file")
            return nil
        }
    }
}
