import JSON
import Recordings

/// A request to be explained, and what keeps a pattern from matching it.
struct ExplainedRequest {
    let target: RequestTarget
    /// Normalised.
    let path: [UInt8]
    /// Of ``path``, which is compared with many patterns.
    private let segments: [ArraySlice<UInt8>]
    let method: String
    let headers: [(name: [UInt8], value: [UInt8])]
    /// nil where the body is no JSON, or not known.
    let json: JSONValue?
    /// The states of scenarios.
    var states: [String: String] = [:]

    init(_ target: RequestTarget, method: String, headers: [(name: String, value: String)], json: JSONValue? = nil) {
        (self.target, self.method, self.json) = (target, method, json)
        self.headers = headers.map { (Array($0.name.lowercased().utf8), Array($0.value.utf8)) }
        path = PathBytes.normalized(target.path)
        segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// The path and query that origins get.
    func target(changedBy changes: RequestChanges?) -> String {
        let query = target.query.isEmpty ? nil : Array(target.query.utf8.dropFirst())
        let changed = changes?.target(path: target.path, query: query)
        return changed.map { String(decoding: $0, as: UTF8.self) }
            ?? String(decoding: target.path, as: UTF8.self) + target.query
    }

    func hasField(_ name: [UInt8], _ value: [UInt8]?) -> Bool {
        headers.contains { $0.name == name && (value == nil || $0.value == value) }
    }

    /// The first field of that lower-case name.
    func value(of name: String) -> String? {
        let name = Array(name.utf8)
        return headers.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// Whether host, path and method fit, by which most routes are told apart.
    func fitsPlace(of pattern: RoutePattern) -> Bool {
        pattern.host.covers(host: target.host, port: target.port) && pattern.path.matches(path)
            && (pattern.methods.isEmpty || pattern.methods.contains(method))
    }

    /// All mismatches, in the order in which one would fix them.
    func misses(_ pattern: RoutePattern) -> [(part: Explanation.NearMiss.Part, reason: String)] {
        var misses: [(part: Explanation.NearMiss.Part, reason: String)] = []
        if !pattern.host.covers(host: target.host) {
            let host = target.host.isEmpty ? "there is no host" : "the host is \(target.host)"
            misses.append((.host, "\(host), not \(HostPattern(scope: pattern.host.scope, port: nil))"))
        }
        if let port = pattern.host.port, port != target.port {
            misses.append((.port, "the port is \(target.port), not \(port)"))
        }
        if let reason = pathMiss(pattern.path) { misses.append((.path, reason)) }
        if !pattern.methods.isEmpty, !pattern.methods.contains(method) {
            misses.append((.method, "the method is \(method), not \(pattern.methods.joined(separator: " or "))"))
        }
        for field in pattern.fields where !hasField(field.name, field.value) {
            let isThere = hasField(field.name, nil)
            misses.append(
                (.header, "the header \(field.description) is \(isThere ? "there with another value" : "missing")"))
        }
        for condition in pattern.conditions {
            if let reason = condition.miss(in: self) { misses.append((.init(condition.subject), reason)) }
        }
        return misses
    }

    /// How many segments fit from the left.
    func commonSegments(_ pattern: PathPattern) -> Int {
        if pattern.bytes.isEmpty { return 0 }
        return zip(segments, pattern.segments).prefix { fits($0, $1) }.count
    }

    private func fits(_ segment: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        pattern.elementsEqual([PathPattern.star]) ? !segment.isEmpty : segment == pattern
    }

    /// Bytes of a segment that a reason quotes.
    private static let shown = 80

    private func pathMiss(_ pattern: PathPattern) -> String? {
        if pattern.matches(path) { return nil }
        let (mine, theirs) = (segments, pattern.segments)
        let common = commonSegments(pattern)
        func text(_ segment: ArraySlice<UInt8>) -> String {
            segment.elementsEqual([PathPattern.star])
                ? "any segment" : "\"\(String(decoding: segment.prefix(Self.shown), as: UTF8.self))\""
        }
        if common == theirs.count { return "the path goes on at segment \(common + 1), where the pattern ends" }
        if common == mine.count { return "the path ends before segment \(common + 1), \(text(theirs[common]))" }
        return "the path differs at segment \(common + 1): \(text(mine[common])), not \(text(theirs[common]))"
    }
}

extension ExplainedRequest {
    /// As recordings are searched for it, with the fields that they go by.
    func asked(_ names: [String]) -> AskedRequest {
        let body = json.map { json in
            return JSONWriter.bytes(of: json)
        }
        let hasBody = method != "GET" && method != "HEAD"
        let isWebSocket = value(of: "upgrade")?.lowercased() == "websocket"
        return AskedRequest(
            method: isWebSocket ? AskedRequest.webSocket : method, authority: target.host,
            target: String(decoding: target.path, as: UTF8.self) + target.query, type: value(of: "content-type") ?? "",
            body: body ?? (hasBody ? nil : []), fields: names.compactMap { name in value(of: name).map { (name, $0) } },
            range: value(of: "range"))
    }
}

extension ExplainedRequest: RequestFacts {
    func query(_ name: String) -> [String] {
        RequestValues.parameters(Array(target.query.utf8.dropFirst()), named: name)
    }

    func fields(_ name: String) -> [String] {
        headers.filter { $0.name == Array(name.utf8) }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    func cookies(_ name: String) -> [String] { RequestValues.cookies(fields("cookie"), named: name) }

    func state(of scenario: String) -> String? { states[scenario] }
}

extension Explanation.NearMiss.Part {
    fileprivate init(_ subject: RequestCondition.Subject) {
        self =
            switch subject {
            case .query: .query
            case .header: .header
            case .cookie: .cookie
            case .member, .body, .call: .body
            case .state: .state
            }
    }
}
