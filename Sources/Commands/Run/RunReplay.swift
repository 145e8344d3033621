import Engine
import Profiles
import Recordings

/// A recording that responds in the place of all origins for one run.
struct RunReplay: Sendable {
    /// What becomes of entries that no request has asked for.
    enum Unused: String, CaseIterable, Sendable {
        case warn
        case error
        case ignore
    }

    struct Options: Sendable {
        let name: String
        let unused: Unused

        /// nil without --replay.
        static func read(_ arguments: Arguments) throws -> Options? {
            let wanted = arguments.text("unused")
            guard let unused = Unused(rawValue: wanted ?? "warn") else {
                throw UsageError("--unused “\(wanted ?? "")” is not known", advice: "Give warn, error or ignore.")
            }
            guard let name = arguments.text("replay") else { return nil }
            try RecordCommand.check(name)
            return Options(name: name, unused: unused)
        }
    }

    /// How many entries a message names.
    private static let maxNamed = 10

    private let options: Options
    private let file: RecordingFile
    private let use = RecordingUse()

    init(_ options: Options, _ project: Project) throws {
        self.options = options
        do throws(RecordingFailure) {
            file = try RecordingFile(path: RecordCommand.path(options.name, project))
        } catch {
            throw CommandFailure(
                "the recording \(options.name) \(error.text)",
                advice: error.isMissing
                    ? "Make it with `shunt run --record \(options.name) -- COMMAND`; `shunt recordings` lists others."
                    : nil)
        }
        if let text = file.skippedText {
            Terminal.error("the recording \(options.name): \(text) and cannot be replayed\n")
        }
    }

    /// What templates take for the time, so that each run gives the same.
    var time: Int64? { file.started }

    func applied(to library: ProfileLibrary) -> ProfileLibrary { library.replaying(options.name, file, use) }

    /// Recorded addresses of Shunt become those of this run; to be called before the command starts.
    func begin(_ hosts: RunHosts, _ engine: RunEngine) {
        use.move(
            file.recordedPorts().compactMap { recorded in
                if recorded.host.isEmpty { return (recorded.port, engine.port(.main)) }
                return hosts.place(ofAuthority: recorded.host).map { (recorded.port, engine.port($0)) }
            })
    }

    /// Tells of entries that no request has asked for; false if that is an error.
    func finish() -> Bool {
        let unused = options.unused == .ignore ? [] : use.unused(of: file)
        guard !unused.isEmpty else { return true }
        var lines = unused.prefix(Self.maxNamed).map {
            "  entry \($0 + 1), \(file.entries[$0].method) \(file.entries[$0].url)"
        }
        if unused.count > Self.maxNamed { lines.append("  and \(unused.count - Self.maxNamed) more") }
        Terminal.complain(
            "no request asked for \(unused.count) of the \(file.count) entries of the recording \(options.name):\n"
                + lines.joined(separator: "\n"),
            advice: options.unused == .error ? "Record it anew, or give --unused ignore." : nil)
        return options.unused != .error
    }
}
