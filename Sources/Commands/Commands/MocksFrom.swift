import Admin
import Bytes
import Contracts
import Exchanges
import Filter
import GraphQL
import Inspection
import JSON
import Platform
import Profiles
import Store

/// What `shunt mocks from` does: writes mocks into a profile from recorded traffic.
struct MocksFrom {
    /// Exchanges that one call reads.
    private static let limit = 10_000

    private let project: Project
    private let profile: Profile
    private var mocks: [RecordedMock] = []
    /// Exchanges that make no mock, and why.
    private var leftOut: [(exchange: TrafficSummary, reason: String)] = []
    /// Exchanges with the method and path of a newer one.
    private var olderCount = 0

    /// - Parameter words: numbers of exchanges, or one archive, or a filter.
    static func run(_ words: [String], _ arguments: Arguments) throws -> CInt {
        guard !words.isEmpty else {
            throw UsageError(
                "from which traffic?",
                advice: "Give numbers, a filter, a HAR file, a document of OpenAPI or a schema of GraphQL.")
        }
        let project = try Project.find(arguments)
        let library = try project.load()
        var writer = MocksFrom(project: project, profile: try profile(arguments.text("profile"), library))
        try writer.read(words, arguments)
        let written = try writer.write(library) { Terminal.error($0 + "\n") }
        for path in written.bodies { Terminal.out("wrote  \(path)\n") }
        Terminal.out("added  \(Words.count(written.count, "mock")) to \(written.file)\n")
        if writer.olderCount > 0 {
            Terminal.out("\(writer.olderCount) older responses to the same requests were left out.\n")
        }
        if written.secrets > 0 {
            Terminal.out("\(written.secrets) secrets were replaced: fill in what the app needs, and commit none.\n")
        }
        return 0
    }

    /// Makes a mock of one exchange, for the admin interface.
    /// - Parameters:
    ///   - store: the store's file.
    ///   - profile: with nil the only local one.
    static func make(
        _ id: Int64, store: String, profile name: String?, _ project: Project
    ) throws -> Record<API.MadeMock> {
        let library = try project.load()
        var writer = MocksFrom(project: project, profile: try profile(name, library))
        let reader = try StoredTraffic.open(store)
        writer.add(reader, try StoredTraffic.record(id, reader))
        var notes: [String] = []
        do {
            let written = try writer.write(library) { notes.append($0) }
            return Record {
                $0.profile = writer.profile.name
                ($0.file, $0.bodies, $0.secrets) = (written.file, written.bodies, written.secrets)
            }
        } catch {
            // The note has the reason.
            throw notes.last.map { CommandFailure($0) } ?? error
        }
    }

    private init(project: Project, profile: Profile) { (self.project, self.profile) = (project, profile) }

    private static func profile(_ name: String?, _ library: ProfileLibrary) throws -> Profile {
        if let name {
            if let profile = library[name] { return profile }
            throw CommandFailure.noProfile(name, in: library)
        }
        let local = library.profiles.filter { $0.kind == .local }
        guard local.count == 1, let profile = local.first else {
            throw UsageError("into which profile?", advice: "Say it with --profile NAME.")
        }
        return profile
    }

    // MARK: Reading

    private mutating func read(_ words: [String], _ arguments: Arguments) throws {
        if words.count == 1, Files.exists(words[0]) {
            let name = words[0].lowercased()
            if name.hasSuffix(".har") { return try read(archive: words[0]) }
            let isIntrospection = try name.hasSuffix(".json") && Self.isIntrospection(words[0])
            if isIntrospection || name.hasSuffix(".graphql") || name.hasSuffix(".graphqls") || name.hasSuffix(".gql") {
                return try read(schema: words[0], seed: UInt64(try arguments.count("seed", in: 0...Int.max) ?? 1))
            }
            if [".yaml", ".yml", ".json"].contains(where: name.hasSuffix) {
                return try read(contract: words[0], seed: UInt64(try arguments.count("seed", in: 0...Int.max) ?? 1))
            }
        }
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        guard words.allSatisfy({ StoredTraffic.number($0) != nil }) else { return try read(reader, words) }
        for word in words { add(reader, try StoredTraffic.record(try StoredTraffic.identity(word), reader)) }
    }

    private mutating func read(archive file: String) throws {
        let archive = try ImportedArchive(file)
        for problem in archive.problems { Terminal.error("\(ImportCommand.text(problem, file))\n") }
        guard archive.isWhole else { throw CommandFailure("\(file) was not read to its end") }
        // Its files are needed until all is read.
        try withExtendedLifetime(archive) {
            try read(try StoredTraffic.open(archive.store), [])
        }
    }

    private mutating func read(contract file: String, seed: UInt64) throws {
        for mock in try ExpectOptions.contract(file).mocks(seed: seed) {
            if let problem = mock.problem { Terminal.error("\(mock.method) \(mock.path) \(mock.status): \(problem)\n") }
            mocks.append(RecordedMock(mock))
        }
    }

    private static func isIntrospection(_ file: String) throws -> Bool {
        let bytes = try Files.read(file, limit: GraphQLSchema.maxBytes)
        return bytes.prefix(4096).split(separator: UInt8(ascii: "\"")).contains { $0.elementsEqual("__schema".utf8) }
    }

    /// One mock that responds to all calls by the schema, of which it gets a copy.
    private mutating func read(schema file: String, seed: UInt64) throws {
        _ = try ExpectOptions.schema(file)
        mocks.append(
            RecordedMock(
                schema: try Files.read(file, limit: GraphQLSchema.maxBytes),
                isJSON: file.lowercased().hasSuffix(".json"), seed: seed))
    }

    private mutating func read(_ reader: TrafficReader, _ filter: [String]) throws {
        let search = TrafficSearch(reader, try StoredTraffic.filter(filter))
        for summary in try search.page(.newestFirst(before: nil), limit: Self.limit) {
            if let record = try reader.record(summary.id) { add(reader, record) }
        }
    }

    private mutating func add(_ reader: TrafficReader, _ record: TrafficRecord) {
        do throws(RecordedMock.Obstacle) {
            let mock = try RecordedMock(reader, record)
            let isKnown = mocks.contains { $0.method == mock.method && $0.host == mock.host && $0.path == mock.path }
            if isKnown { olderCount += 1 } else { mocks.append(mock) }
        } catch {
            leftOut.append((record.summary, error.reason))
        }
    }

    // MARK: Writing

    private struct Written {
        let file: String
        let count: Int
        /// Paths of the bodies' files.
        let bodies: [String]
        let secrets: Int
    }

    /// - Parameter note: is told which exchange is left out, and why.
    private func write(_ library: ProfileLibrary, note: (String) -> Void) throws -> Written {
        for (exchange, reason) in leftOut {
            note("left out  #\(exchange.id) \(exchange.exchange.method) \(exchange.exchange.url): \(reason)")
        }
        let file = Path.absolute(profile.file)
        let old = try Files.read(file)
        var fresh: [RecordedMock] = []
        for mock in mocks {
            if let line = RouteInsertion.line(ofMethod: mock.method, host: mock.host, path: mock.path, in: old) {
                note("left out  \(mock.label): a route for it is at \(profile.file):\(line)")
            } else {
                fresh.append(mock)
            }
        }
        var routes: [String] = []
        var bodies: [(path: String, bytes: [UInt8])] = []
        var (secrets, taken) = (0, Set<String>())
        for mock in accepted(fresh, old, file, library, note) {
            var body: String?
            if !mock.body.isEmpty {
                let name = Self.free("mocks/\(profile.name)/\(mock.name)", mock.fileExtension, file, &taken)
                bodies.append((Path.directory(of: file) + "/" + name, mock.body))
                body = name
            }
            var writer = JSONWriter()
            mock.writeRoute(file: body, to: &writer)
            routes.append(String(decoding: writer.bytes, as: UTF8.self))
            secrets += mock.secretCount
        }
        guard !routes.isEmpty else {
            throw CommandFailure("nothing makes a mock", advice: "`shunt logs` lists the recorded exchanges.")
        }
        let new: [UInt8]
        do throws(JSONFailure) { new = try RouteInsertion.inserting(routes, into: old) } catch {
            throw CommandFailure("\(profile.file):\(error)")
        }
        try write(new, to: file, bodies, library)
        return Written(
            file: profile.file, count: routes.count, bodies: bodies.map { Path.short($0.path) }, secrets: secrets)
    }

    /// Those whose routes the profile can have, found by halves: a path may read as a pattern, and two may be the same.
    private func accepted(
        _ mocks: [RecordedMock], _ old: [UInt8], _ file: String, _ library: ProfileLibrary, _ note: (String) -> Void
    ) -> [RecordedMock] {
        var taken: [RecordedMock] = []
        var halves = [mocks[...]]
        while let half = halves.popLast() {
            guard let problem = problem(taken + half, old, file, library) else {
                taken += half
                continue
            }
            if half.count == 1, let mock = half.first {
                note("left out  \(mock.label): \(problem)")
            } else if !half.isEmpty {
                let middle = half.startIndex + half.count / 2
                halves += [half[middle...], half[..<middle]]
            }
        }
        return taken
    }

    /// What is wrong with a profile that has these mocks, too; nil if nothing is.
    private func problem(
        _ mocks: [RecordedMock], _ old: [UInt8], _ file: String, _ library: ProfileLibrary
    ) -> String? {
        let routes = mocks.map { mock in
            var writer = JSONWriter()
            // Files of bodies are not there yet.
            mock.writeRoute(file: nil, to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        do {
            _ = try ProfileLibrary.load(
                files: try texts(library, replacing: file, with: try RouteInsertion.inserting(routes, into: old)))
            return nil
        } catch {
            return (error as? ProfileProblems)?.all.first?.message ?? "\(error)"
        }
    }

    /// All profiles, of which one has another text.
    private func texts(
        _ library: ProfileLibrary, replacing file: String, with text: [UInt8]
    ) throws(FileFailure) -> [(path: String, bytes: [UInt8])] {
        var texts: [(path: String, bytes: [UInt8])] = []
        for name in library.files where name.hasSuffix(".json") || name.hasSuffix(".json5") {
            texts.append((path: name, bytes: Path.absolute(name) == file ? text : try Files.read(name)))
        }
        return texts
    }

    /// Bodies first, for the profile names them; they go again where it cannot be read with its new routes.
    private func write(
        _ profile: [UInt8], to file: String, _ bodies: [(path: String, bytes: [UInt8])], _ library: ProfileLibrary
    ) throws {
        var written: [String] = []
        do {
            for body in bodies {
                try Files.makeDirectory(Path.directory(of: body.path))
                try Files.write(body.bytes, to: body.path, mode: 0o644, replaces: false)
                written.append(body.path)
            }
            _ = try ProfileLibrary.load(files: try texts(library, replacing: file, with: profile))
            try FormattedFile(file).replace(profile)
        } catch {
            for path in written { unlink(path) }
            if let error = error as? ProfileProblems { throw CommandFailure.profiles(error) }
            throw CommandFailure("\(error)")
        }
    }

    /// A name that no file beside the profile has yet.
    private static func free(
        _ name: String, _ fileExtension: String, _ profile: String, _ taken: inout Set<String>
    ) -> String {
        var number = 1
        while true {
            let candidate = name + (number == 1 ? "" : "-\(number)") + "." + fileExtension
            if !Files.exists(Path.directory(of: profile) + "/" + candidate), taken.insert(candidate).inserted {
                return candidate
            }
            number += 1
        }
    }
}

extension RecordedMock {
    /// For messages.
    fileprivate var label: String { (id.map { "#\($0) " } ?? "") + "\(method) \(PlainText.clean(path))" }
}
