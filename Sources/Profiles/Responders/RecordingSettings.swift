public import JSON
import Platform
public import Recordings

/// Recorded responses: the entries of an HTTP Archive.
public struct RecordingSettings: Sendable {
    /// What a request gets that no recorded one fits.
    public enum Miss: String, Sendable, CaseIterable {
        /// 404 with the nearest recorded request.
        case error
        /// The response of the route's origin.
        case origin
        /// The response of the route's origin, which is added to the recording.
        case record
    }

    /// What a request gets behind the last of several recorded responses.
    public enum After: String, Sendable, CaseIterable {
        /// The last one again.
        case last
        /// 404.
        case error
    }

    /// What the dates of a response are.
    public enum Dates: String, Sendable, CaseIterable {
        case recorded
        /// Moved as if the response had been recorded just now.
        case now
    }

    /// When a response and its parts come.
    public enum Timing: String, Sendable, CaseIterable {
        /// At once.
        case none
        case recorded
    }

    /// What follows behind the last message of a WebSocket, or the last event of a stream.
    public enum End: String, Sendable, CaseIterable {
        /// An event stream ends, and a WebSocket waits for its client to close it, unless its recorded server did.
        case recorded
        case close, open, loop
    }

    public let name: String
    public let index: RecordingIndex
    public let miss: Miss
    public let after: After
    public let dates: Dates
    public let timing: Timing
    public let end: End
    /// Set where one run asks for the recording over all its routes.
    public let use: RecordingUse?
    /// The origin in whose place it responds, if addresses of it in bodies are rewritten.
    public let origin: OriginAddress?

    init(
        name: String, index: RecordingIndex, miss: Miss, after: After, dates: Dates = .recorded,
        timing: Timing = .none, end: End = .recorded, use: RecordingUse? = nil, origin: OriginAddress? = nil
    ) {
        (self.dates, self.timing, self.end) = (dates, timing, end)
        (self.name, self.index, self.miss, self.after) = (name, index, miss, after)
        (self.use, self.origin) = (use, origin)
    }
}

extension RecordingSettings: LocalSettings {
    public static var key: String { "recording" }

    public var summary: String {
        let count = index.file.count
        var text = "recording: \(name), \(count) \(count == 1 ? "entry" : "entries")"
        var notes = index.file.isCut ? ["the file ends too early"] : []
        if let skipped = index.file.skippedText { notes.append("\(skipped)") }
        switch miss {
        case .error: break
        case .origin: notes.append("the origin for what was not recorded")
        case .record: notes.append("the origin for what was not recorded, which is added")
        }
        if !notes.isEmpty { text += " (\(notes.joined(separator: ", ")))" }
        return text
    }

    /// All its settings and its file's state as text, so that a reload can tell changes.
    package var fingerprint: String {
        "\(name) \(index.file.state) \(index.rules) \(miss) \(after) \(dates) \(timing) \(end)"
    }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object(
            "recording",
            [
                "name": name, "path": index.file.path, "entries": index.file.count, "cut": index.file.isCut,
                "miss": miss.rawValue, "after": after.rawValue, "dates": dates.rawValue, "timing": timing.rawValue,
                "end": end.rawValue,
            ])
    }
}

extension RecordingSettings: LocalSettingsDecoding {
    /// How entries respond, as a route has it.
    struct Options {
        var name = ""
        var miss = Miss.error
        var after = After.last
        var dates = Dates.recorded
        var timing = Timing.none
        var end = End.recorded
        var rules = RecordingRules()
    }

    static let routeKeys: [Key<DecodedRoute>] = keys.all.map { $0.declared(beside: .only(key)) }

    static var alternative: String { #"{ "required": ["recording"], "not": { "required": ["origin"] } }"# }

    static var originHint: String? { "\"miss\": \"origin\" asks the origin for what was not recorded" }

    /// The recording comes first, and the route's origin responds for the rest.
    static func precedesOrigin(_ route: Fields) -> Bool {
        route["recording"] != nil && route["origin"] != nil
            && [Miss.origin.rawValue, Miss.record.rawValue].contains(route["miss"]?.string)
    }

    static func decode(_ route: Fields) -> RecordingSettings? {
        guard let value = route[key] else { return nil }
        var options = Options()
        keys.read(route, into: &options)
        options.rules.headers = options.rules.headers.map { $0.lowercased() }
        if options.miss != .error, route["origin"] == nil, let member = route.member("miss") {
            return route.refuse(
                member, "\"miss\" is \"\(options.miss.rawValue)\" on a route without an origin",
                expected: "an \"origin\" on the same route, which responds to what was not recorded")
        }
        if options.end == .loop, options.timing == .none, let member = route.member("end") {
            return route.refuse(
                member, "\"end\" is \"loop\" for messages that are sent at once",
                expected: "\"timing\": \"recorded\" beside it")
        }
        guard !options.name.isEmpty,
            let file = open(options.name, value.position, route, mayBeMissing: options.miss == .record)
        else { return nil }
        return RecordingSettings(
            name: options.name, index: RecordingIndex(file, options.rules), miss: options.miss, after: options.after,
            dates: options.dates, timing: options.timing, end: options.end)
    }

    /// Whether it names a file within the folder of recordings.
    package static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return name.utf8.count <= 100
            && name.utf8.allSatisfy {
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "-_.".utf8.contains($0)
            }
    }

    private static func open(
        _ name: String, _ position: JSONPosition, _ route: Fields, mayBeMissing: Bool
    ) -> RecordingFile? {
        route.reporter.problems.noteFile()
        let path = Path.absolute("\(route.reporter.profilesDirectory)/../Recordings/\(name).har")
        do throws(RecordingFailure) { return try RecordingFile(path: path) } catch {
            if error.isMissing, mayBeMissing { return RecordingFile(missing: path) }
            if error.isMissing {
                route.report(position, "there is no recording \"\(name)\"", expected: "a HAR file at \(path)")
            } else {
                route.report(
                    position, "the recording \"\(name)\" \(error.text)",
                    expected: "an HTTP Archive (HAR 1.2) at \(path)")
            }
            return nil
        }
    }
}

extension RecordingSettings {
    /// Which entries respond to a request, for `shunt explain`.
    func note(on asked: AskedRequest) -> String {
        do throws(RecordingFailure) {
            guard let group = try index.find(asked) else { return "not recorded: \(index.nearest(to: asked))" }
            let waits = asked.method == AskedRequest.webSocket ? try waits(group.entries[0]) : ""
            return index.describe(group) + waits
                + (group.entries.count == 1
                    ? "" : after == .last ? ", the last one again and again" : ", then an error")
        } catch {
            return "the recording \(error.text)"
        }
    }

    /// What a recorded WebSocket waits for.
    private func waits(_ entry: Int) throws(RecordingFailure) -> String {
        let messages = try index.file.messages(entry).filter { ![8, 9, 10].contains($0.opcode) }
        guard let last = messages.last else {
            return ": a WebSocket without messages, which stays silent until its client closes it"
        }
        let own = messages.count { $0.isFromClient }
        var text = ": a WebSocket of \(messages.count) messages, "
        text += messages[0].isFromClient ? "which waits for its client's first one" : "which begins"
        if own > 0 { text += "; each of the server's waits for those of its client before it, \(own) in all" }
        switch end {
        case .recorded where last.isFromClient: return text
        case .recorded, .open: return text + "; after the last one it stays open until its client closes it"
        case .close: return text + "; after the last one it is closed"
        case .loop: return text + "; after the last one it begins again"
        }
    }
}
