import Synchronization

/// Finds the entries of a recording that fit a request.
public final class RecordingIndex: Sendable {
    /// Entries that are alike by the rules, in their order.
    public final class Group: Sendable {
        /// In the recording.
        public let entries: [Int]

        init(_ entries: [Int]) { self.entries = entries }

        /// Tells it from the recording's other groups.
        public var id: Int { entries[0] }
    }

    /// All entries of one method and URL.
    private final class Target: Sendable {
        let entries: [Int]
        /// All of them where neither a body nor a header tells them apart.
        let whole: Group?
        /// By what tells them apart, made when the first request asks.
        let groups = Mutex<[[UInt8]: Group]?>(nil)
        /// Those whose body the recording does not have.
        let open: Group?
        /// Bytes of the longest response.
        let longest: Int

        init(_ entries: [Int], whole: Group?, open: Group?, longest: Int) {
            (self.entries, self.whole, self.open, self.longest) = (entries, whole, open, longest)
        }
    }

    public let file: RecordingFile
    public let rules: RecordingRules
    /// Secrets were replaced in it.
    public let hasMarks: Bool
    private let targets: [String: Target]
    /// Made when the first request that no entry fits asks.
    let places = Mutex<EntryPlaces?>(nil)
    private let bodies: BodyForm

    public init(_ file: RecordingFile, _ rules: RecordingRules) {
        self.file = file
        self.rules = rules
        bodies = BodyForm(rules)
        var all: [String: [Int]] = [:]
        all.reserveCapacity(file.entries.count)
        for (at, entry) in file.entries.enumerated() {
            guard let url = RecordedURL(entry.url) else { continue }
            let target = rules.target(method: entry.searchedMethod, host: url.host, path: url.path, query: url.query)
            all[target, default: []].append(at)
        }
        hasMarks = file.entries.contains {
            $0.isRedacted && ($0.requestBody != nil || !rules.headers.isEmpty || SecretMarks.areIn(Array($0.url.utf8)))
        }
        targets = all.mapValues { entries in
            let hasBodies = !rules.ignoresBody && entries.contains { file.entries[$0].requestBody != nil }
            let isWhole =
                !hasBodies && rules.headers.isEmpty && !entries.contains { file.entries[$0].isPartial }
            let open = rules.headers.isEmpty ? entries.filter { file.entries[$0].hasUnknownRequestBody } : []
            return Target(
                entries, whole: isWhole ? Group(entries) : nil, open: open.isEmpty ? nil : Group(open),
                longest: entries.reduce(0) { max($0, file.length(ofResponse: $1)) })
        }
    }

    /// The entries that fit; nil where none does.
    public func find(_ request: AskedRequest) throws(RecordingFailure) -> Group? {
        guard let target = target(of: request) else { return nil }
        let body = rules.ignoresBody ? [] : request.body
        if let whole = target.whole { return body?.isEmpty ?? true ? whole : nil }
        guard let body else {
            let entries = target.entries.filter { !file.entries[$0].isPartial }
            return entries.isEmpty ? nil : Group(entries)
        }
        let fields = request.fields.map { (name: $0.name, value: SecretMarks.withoutDigests($0.value)) }
        let (groups, form) = (try groups(of: target), bodies.form(body, type: request.type))
        // An origin need not heed a Range, so that a request for a part may get the whole.
        let part = request.range.flatMap { groups[mark(form, fields, range: $0)] }
        let whole = groups[mark(form, fields)] ?? target.open
        guard let part, let whole, try isWithheld(part) else { return part ?? whole }
        return whole
    }

    /// Whether the recording has nothing of a part.
    private func isWithheld(_ part: Group) throws(RecordingFailure) -> Bool {
        for entry in part.entries where try !file.isWithheld(entry) { return false }
        return true
    }

    /// Whether the body of a request makes a difference: there are entries for its method and URL.
    public func comparesBody(of request: AskedRequest) -> Bool { !rules.ignoresBody && target(of: request) != nil }

    /// Bytes to go through to find the entries for a request, and to read a response.
    public func work(for request: AskedRequest) -> Int {
        guard let target = target(of: request) else { return 0 }
        // The bodies of the entries' requests are in the file until the first request is compared with them.
        return target.whole == nil && target.groups.withLock { $0 == nil } ? .max : target.longest
    }

    /// A GET and a HEAD have the same response, but for its body.
    private func target(of request: AskedRequest) -> Target? {
        func target(_ method: String) -> Target? {
            targets[rules.target(method: method, host: request.host, path: request.path, query: request.query)]
        }
        if let target = target(request.method) { return target }
        switch request.method {
        case "HEAD": return target("GET")
        case "GET": return target("HEAD")
        default: return nil
        }
    }

    /// What tells entries of one target apart.
    private func mark(
        _ form: [UInt8], _ fields: [(name: String, value: String)], range: String? = nil
    ) -> [UInt8] {
        var mark = range.map { Array("\($0)\n".utf8) } ?? []
        for name in rules.headers {
            mark += fields.filter { $0.name == name }.map(\.value).joined(separator: ", ").utf8
            mark.append(0x0A)
        }
        return mark + form
    }

    private func groups(of target: Target) throws(RecordingFailure) -> [[UInt8]: Group] {
        if let known = target.groups.withLock({ $0 }) { return known }
        var entries: [[UInt8]: [Int]] = [:]
        for at in target.entries {
            let entry = file.entries[at]
            if entry.hasUnknownRequestBody, rules.headers.isEmpty { continue }
            let fields = try recordedFields(entry)
            entries[mark(try form(of: entry), fields, range: try range(of: entry)), default: []].append(at)
        }
        let groups = entries.mapValues { Group($0) }
        target.groups.withLock { $0 = groups }
        return groups
    }

    /// Those of the rules.
    func recordedFields(_ entry: RecordedEntry) throws(RecordingFailure) -> [(name: String, value: String)] {
        if rules.headers.isEmpty { return [] }
        return try file.requestFields(entry).map {
            (name: $0.name.lowercased(), value: SecretMarks.withoutDigests($0.value))
        }
    }

    /// The part that the response of an entry is; nil where it is for all requests.
    func range(of entry: RecordedEntry) throws(RecordingFailure) -> String? {
        guard entry.isPartial else { return nil }
        return try file.requestFields(entry).first { $0.name.lowercased() == "range" }.map {
            RecordedEntry.comparedRange($0.value)
        }
    }

    private func form(of entry: RecordedEntry) throws(RecordingFailure) -> [UInt8] {
        guard !rules.ignoresBody, let body = entry.requestBody else { return [] }
        return bodies.form(try file.bytes(body), type: body.type)
    }
}

extension AskedRequest {
    /// The method under which WebSockets are found, whose requests are no others with the same URL.
    public static let webSocket = "WEBSOCKET"
}

extension RecordedEntry {
    var searchedMethod: String { isWebSocket ? AskedRequest.webSocket : method }

    /// The request had a body that the recording lacks: any fits.
    var hasUnknownRequestBody: Bool {
        guard let requestBody else { return false }
        return requestBody.isIncomplete
            || requestBody.text == nil && requestBody.parameters == nil && requestBody.file == nil
    }
}

extension RecordingIndex {
    /// The entries of a group in words: `entry 3 (200)`.
    public func describe(_ group: Group) -> String {
        let names = group.entries.prefix(5).map { at in
            let status = file.entries[at].status
            return "\(at + 1) (\(status == 0 ? "no response" : "\(status)"))"
        }
        if names.count == 1 { return "entry \(names[0])" }
        let more = group.entries.count - names.count
        return "entries \(names.joined(separator: ", "))" + (more > 0 ? " and \(more) more" : "") + " in turn"
    }
}
