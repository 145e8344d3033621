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

    public let name: String
    public let index: RecordingIndex
    public let miss: Miss
    public let after: After
    public let dates: Dates
    public let timing: Timing
    /// Set where one run asks for the recording over all its routes.
    public let use: RecordingUse?
    /// The origin in whose place it responds, if addresses of it in bodies are rewritten.
    public let origin: OriginAddress?

    init(
        name: String, index: RecordingIndex, miss: Miss, after: After, dates: Dates = .recorded,
        timing: Timing = .none, use: RecordingUse? = nil, origin: OriginAddress? = nil
    ) {
        (self.dates, self.timing) = (dates, timing)
        (self.name, self.index, self.miss, self.after) = (name, index, miss, after)
        (self.use, self.origin) = (use, origin)
    }
}

extension RecordingSettings: LocalSettings {
    public static var key: String { "recording" }

    public var summary: String {
        let count = index.file.count
        var text = "recording: \(name), \(count) \(count == 1 ? "entry" : "entries")"
        let notes =
            (index.file.isCut ? ["the file ends too early"] : [])
            + (index.file.skippedText.map { ["\($0)"] } ?? [])
            + (miss == .origin ? ["the origin for what was not recorded"] : [])
            + (miss == .record ? ["the origin for what was not recorded, which is added"] : [])
        if !notes.isEmpty { text += " (\(notes.joined(separator: ", ")))" }
        return text
    }

    public var fingerprint: String { "\(name) \(index.file.state) \(index.rules) \(miss) \(after) \(dates) \(timing)" }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("recording") {
            $0.member("name", name)
            $0.member("path", index.file.path)
            $0.member("entries", index.file.count)
            $0.member("cut", index.file.isCut)
            $0.member("miss", miss.rawValue)
            $0.member("after", after.rawValue)
            $0.member("dates", dates.rawValue)
            $0.member("timing", timing.rawValue)
        }
    }
}

extension RecordingSettings: LocalSettingsDecoding {
    static var routeKeys: [String] { [key, "miss", "after", "dates", "timing", "ignore", "compare"] }

    static var alternative: String { #"{ "required": ["recording"], "not": { "required": ["origin"] } }"# }

    static var originHint: String? { "\"miss\": \"origin\" asks the origin for what was not recorded" }

    private static let ignoreKeys = ["query", "json", "host", "body"]

    static var schema: String {
        #"""
        "recording": {
          "description": "The name of a recording, whose entries are the responses: Recordings/NAME.har beside the folder of profiles.",
          "type": "string",
          "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"
        },
        "miss": {
          "description": "The response to a request that was not recorded: error (404 with the nearest entry, also without this key), origin (the route's origin responds) or record (it responds, and its response is added to the recording).",
          "enum": ["error", "origin", "record"]
        },
        "after": {
          "description": "After the last of several responses to equal requests: last (it is repeated, also without this key) or error.",
          "enum": ["last", "error"]
        },
        "dates": {
          "description": "The values of Date, Expires, Last-Modified and the expiry of cookies: recorded (also without this key) or now (moved as if recorded just now).",
          "enum": ["recorded", "now"]
        },
        "timing": {
          "description": "When a response, its parts and its messages are sent: none (at once, also without this key) or recorded (with the recorded delays).",
          "enum": ["none", "recorded"]
        },
        "ignore": {
          "description": "The parts of a request that are not compared with recorded ones.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "query": { "description": "Parameters of queries and forms; utm_* stands for all names with this beginning.", "type": "array", "items": { "type": "string", "minLength": 1 } },
            "json": { "description": "Paths in JSON bodies, such as items.*.id.", "type": "array", "items": { "type": "string", "minLength": 1 } },
            "host": { "description": "true compares no hosts.", "type": "boolean" },
            "body": { "description": "true compares no bodies.", "type": "boolean" }
          }
        },
        "compare": {
          "description": "Header fields that must equal the recorded ones.",
          "type": "array",
          "items": { "type": "string", "minLength": 1 }
        }
        """#
    }

    /// The recording comes first, and the route's origin responds for the rest.
    static func precedesOrigin(_ route: Fields) -> Bool {
        route["recording"] != nil && route["origin"] != nil
            && [Miss.origin.rawValue, Miss.record.rawValue].contains(route["miss"]?.string)
    }

    static func decode(_ route: Fields) -> RecordingSettings? {
        guard let value = route["recording"] else { return nil }
        let (miss, after, rules) = (
            choice("miss", .error, route) as Miss?, choice("after", .last, route) as After?, decodeRules(route)
        )
        if let miss, miss != .error, route["origin"] == nil, let member = route.member("miss") {
            route.reporter.report(
                member.keyPosition, "\"miss\" is \"\(miss.rawValue)\" on a route without an origin",
                expected: "an \"origin\" on the same route, which responds to what was not recorded")
            return nil
        }
        guard let name = value.string, isName(name) else {
            route.reporter.report(
                value.position,
                value.string.map { "\"\($0)\" is no name of a recording" } ?? "\"recording\" is \(value.kindName)",
                expected: "letters, digits, `-`, `_` and `.`: the name of a file in Recordings, without its .har")
            return nil
        }
        let (dates, timing) = (
            choice("dates", .recorded, route) as Dates?, choice("timing", Timing.none, route) as Timing?
        )
        guard let miss, let after, let dates, let timing, let rules,
            let file = open(name, value.position, route, mayBeMissing: miss == .record)
        else {
            return nil
        }
        return RecordingSettings(
            name: name, index: RecordingIndex(file, rules), miss: miss, after: after, dates: dates, timing: timing)
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
        let path = Path.absolute("\(route.reporter.profilesDirectory)/../Recordings/\(name).har")
        do throws(RecordingFailure) {
            return try RecordingFile(path: path)
        } catch {
            if error.isMissing, mayBeMissing { return RecordingFile(missing: path) }
            if error.isMissing {
                route.reporter.report(
                    position, "there is no recording \"\(name)\"", expected: "a HAR file at \(path)")
            } else {
                route.reporter.report(
                    position, "the recording \"\(name)\" \(error.text)",
                    expected: "an HTTP Archive (HAR 1.2) at \(path)")
            }
            return nil
        }
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ usual: Choice, _ route: Fields
    ) -> Choice? {
        guard let value = route[key] else { return usual }
        if let choice = value.string.flatMap({ Choice(rawValue: $0) }) { return choice }
        route.reporter.report(
            value.position, "\"\(key)\" is \(value.string.map { "\"\($0)\"" } ?? value.kindName)",
            expected: Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
        return nil
    }

    private static func decodeRules(_ route: Fields) -> RecordingRules? {
        var rules = RecordingRules()
        for (name, place) in route.texts("compare", "an array of header names", one: "a name like \"Accept-Language\"")
        {
            guard isToken(name) else {
                route.reporter.report(place, "\"\(name)\" is no field name", expected: "a name like Accept-Language")
                return nil
            }
            rules.headers.append(name.lowercased())
        }
        guard let value = route["ignore"] else { return rules }
        guard let fields = Fields(value, "\"ignore\"", keys: ignoreKeys, route.reporter) else { return nil }
        rules.ignoredQuery = fields.texts("query", "an array of parameters", one: "a name like \"utm_*\"").map(\.text)
        rules.ignoredJSON = fields.texts("json", "an array of places", one: "a place like \"items.*.id\"").map(\.text)
        rules.ignoresHost = fields.bool("host") ?? false
        rules.ignoresBody = fields.bool("body") ?? false
        return rules
    }
}

extension RecordingSettings {
    /// Which entries respond to a request, for `shunt explain`.
    func note(on request: ExplainedRequest) -> String {
        let body = request.json.map { json in
            var writer = JSONWriter()
            writer.value(json)
            return writer.bytes
        }
        let hasBody = request.method != "GET" && request.method != "HEAD"
        let isWebSocket = request.value(of: "upgrade")?.lowercased() == "websocket"
        let asked = AskedRequest(
            method: isWebSocket ? AskedRequest.webSocket : request.method, authority: request.target.host,
            target: String(decoding: request.target.path, as: UTF8.self) + request.target.query,
            type: request.value(of: "content-type") ?? "", body: body ?? (hasBody ? nil : []),
            fields: index.rules.headers.compactMap { name in request.value(of: name).map { (name, $0) } })
        do throws(RecordingFailure) {
            guard let group = try index.find(asked) else { return "not recorded: \(index.nearest(to: asked))" }
            let waits = isWebSocket ? try waits(group.entries[0]) : ""
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
        return text + (last.isFromClient ? "" : "; after the last one it stays open until its client closes it")
    }
}
