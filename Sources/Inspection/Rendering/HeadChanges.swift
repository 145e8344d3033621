import Bytes
import Exchanges
public import JSON
public import Store

/// What Shunt changed in the heads of an exchange, each line with the rule that changed it.
public struct HeadChanges: Sendable {
    public struct Line: Sendable, Equatable {
        public let sign: LineDifference.Sign
        public let text: String
        /// nil where nothing was changed, or the record does not tell why.
        public let reason: String?
    }

    /// nil where a head is known on one side of Shunt only.
    public let request: [Line]?
    public let response: [Line]?

    public init(_ record: TrafficRecord) {
        self.init(
            request: (record.clientRequest, record.originRequest),
            response: (record.originResponse, record.clientResponse), rewritten: record.summary.exchange.rewritten)
    }

    /// - Parameter request: the head before and behind Shunt; likewise that of the response.
    /// - Parameter rewritten: ``Exchange/rewritten``.
    init(request: (old: [UInt8]?, new: [UInt8]?), response: (old: [UInt8]?, new: [UInt8]?), rewritten: [String]) {
        let reason = ChangeReason(rewritten)
        func lines(_ side: BodySide, _ old: [UInt8]?, _ new: [UInt8]?) -> [Line]? {
            guard let old = old.map(Self.lines), let new = new.map(Self.lines) else { return nil }
            return LineDifference(from: old, to: new).lines.map { sign, text in
                let isFirst = text == old.first || text == new.first
                return Line(
                    sign: sign, text: text,
                    reason: sign == .same ? nil : reason.text(of: text, isFirst: isFirst, side))
            }
        }
        self.request = lines(.request, request.old, request.new)
        self.response = lines(.response, response.old, response.new)
    }

    /// HTTP/2 has names in small letters and pseudo-header fields in the place of the first line, which is no change.
    private static func lines(_ head: [UInt8]) -> [String] {
        let head = HeadText(head)
        func pseudo(_ name: String) -> String? { head.value(of: name) }
        var lines: [String] = []
        if let method = pseudo(":method") {
            lines.append("\(method) \(pseudo(":path") ?? pseudo(":authority") ?? "")")
            if let authority = pseudo(":authority") { lines.append("Host: \(authority)") }
        } else {
            let words = head.startLine.split(separator: " ")
            let isVersion = { (word: Substring) in word.hasPrefix("HTTP/") }
            lines.append(words.filter { !isVersion($0) }.joined(separator: " "))
        }
        return lines + head.fields.filter { !$0.name.hasPrefix(":") }.map { "\(capitalised($0.name)): \($0.value)" }
    }

    private static func capitalised(_ name: String) -> String {
        var isFirst = true
        let bytes = name.utf8.map { byte in
            defer { isFirst = byte == UInt8(ascii: "-") }
            let small = ByteSearch.lowercased(byte)
            return isFirst && small &- 0x61 < 26 ? small - 0x20 : small
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Each line is an array: its sign, its text, and why it was changed, or null.
    ///
    /// - Parameter bodies: what was changed in them, nil where that is nothing.
    public func write(bodies: (request: LineDifference?, response: LineDifference?), to object: inout JSONWriter) {
        LineDifference.write([("request_body", bodies.request), ("response_body", bodies.response)], to: &object)
        for (name, lines) in [("request", request), ("response", response)] {
            object.key(name)
            guard let lines else {
                object.null()
                continue
            }
            object.array { array in
                for line in lines {
                    array.array { array in
                        array.value(line.sign.rawValue)
                        array.value(line.text)
                        if let reason = line.reason { array.value(reason) } else { array.null() }
                    }
                }
            }
        }
    }
}

/// Says which rule of Shunt's changed a line of a head, by the line's name and the changes that the exchange records.
struct ChangeReason: Sendable {
    private let changes: Set<String>
    private let isBodyChanged: Bool

    /// - Parameter changes: ``Exchange/rewritten``.
    init(_ changes: [String]) {
        self.changes = Set(changes)
        isBodyChanged = !self.changes.isDisjoint(with: [
            "body", "request body", "+injection", "request by hand", "response by hand",
        ])
    }

    /// nil where the record does not tell.
    func text(of line: String, isFirst: Bool, _ side: BodySide) -> String? {
        if isFirst { return first(side) }
        let name = String(decoding: line.utf8.prefix { $0 != 0x3A }.map(ByteSearch.lowercased), as: UTF8.self)
        if Self.ofConnections.contains(name) { return "It concerns one connection only (RFC 9110, 7.6.1)." }
        if Self.ofBodies.contains(name) {
            return isBodyChanged
                ? "Shunt changes the body, so its length, coding and digests change (rewrite.bodies, inject)."
                : "Each connection frames the body by itself (RFC 9112, 6)."
        }
        return (side == .request ? request(name) : response(name)) ?? general(name, side)
    }

    private func first(_ side: BodySide) -> String? {
        if changes.contains("\(side == .request ? "request" : "response") by hand") { return Self.byHand }
        guard side == .request else {
            return changes.contains("status") ? "The route gives another status (response.status)." : nil
        }
        switch (changes.contains("path"), changes.contains("query")) {
        case (true, true): return "The route maps the path and changes the query (request.path, request.query)."
        case (true, false): return "The route maps the path (request.path)."
        case (false, true): return "The route changes the query (request.query)."
        case (false, false): return "The path of the origin's URL comes first; addresses in a query are mapped."
        }
    }

    private func request(_ name: String) -> String? {
        switch name {
        case "host": "The origin gets its own name; preserveHost keeps the client's."
        case "via": "It says that a proxy passed the message on (RFC 9110, 7.6.3); via: false leaves it out."
        case "accept-encoding": "The origin may use only codings that Shunt can undo to change the body."
        case "cookie": "The origin gets its own cookies, by its own names (cookieJar, rewrite.cookies)."
        case "authorization": changes.contains("token") ? "The profile's token takes its place (token)." : nil
        case "origin", "referer", "destination":
            changes.contains(where: { $0.lowercased() == name })
                ? "The client's address becomes the origin's (rewrite.addresses)." : nil
        case "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range":
            "The origin gets only validators of its own responses (cache)."
        case "shunt-profile": "It chooses the profile, and is for Shunt alone."
        case "shunt-attach": "It names an attached machine, and is for Shunt alone."
        case "expect": "Shunt responds to it itself (RFC 9110, 10.1.1)."
        case "max-forwards": "It counts the proxies that may pass the request on (RFC 9110, 7.6.2)."
        case "proxy-authorization": "It is for the proxy alone (RFC 9110, 11.7.2)."
        case "traceparent", "tracestate": "The trace goes on with a span of its own (--trace)."
        case "forwarded": Self.forwarded
        case _ where name.hasPrefix("x-forwarded-"): Self.forwarded
        default: nil
        }
    }

    private static let forwarded =
        "It tells the origin who asked, and by which address (forwarded: false leaves it out)."

    private func response(_ name: String) -> String? {
        switch name {
        case "set-cookie": "The cookie counts for the client's address (rewrite.cookies, cookieJar)."
        case "location", "content-location", "refresh", "link":
            changes.contains(where: { $0.lowercased() == name })
                ? "The origin's address becomes the client's (rewrite.addresses)." : nil
        case "strict-transport-security", "alt-svc", "public-key-pins", "public-key-pins-report-only", "expect-ct",
            "report-to", "reporting-endpoints", "nel":
            "It would lead clients past Shunt, or pin them to the origin (rewrite.pins)."
        case "clear-site-data": "It would clear what the client keeps of all environments (rewrite.clearSiteData)."
        case "content-security-policy", "content-security-policy-report-only":
            changes.contains("+injection")
                ? "It allows what is put into the page (inject)."
                : "The origin's address becomes the client's (rewrite.addresses)."
        case "vary" where changes.contains("+CORS"): "Pages of other origins may read the response (cors)."
        case _ where name.hasPrefix("access-control-"):
            changes.contains("+CORS")
                ? "Pages of other origins may read the response (cors)."
                : "The origin's address becomes the client's (rewrite.addresses)."
        case "etag" where isBodyChanged:
            "The tag is of the origin's bytes, which Shunt changes (rewrite.bodies, inject)."
        case "etag", "cache-control", "expires", "age", "pragma", "vary", "last-modified":
            changes.contains("cache") ? "What a client stores counts for this profile alone (cache)." : nil
        case _ where name.hasPrefix("shunt-"): "It names what responded: profile, route and kind."
        case "via": "It says that a proxy passed the message on (RFC 9110, 7.6.3); via: false leaves it out."
        default: nil
        }
    }

    private func general(_ name: String, _ side: BodySide) -> String? {
        let word = side == .request ? "request" : "response"
        if changes.contains("\(word) by hand") { return Self.byHand }
        if changes.contains("\(word) headers") { return "The route changes it (\(word).headers)." }
        if changes.contains("addresses in \(word) fields") { return "An address in it is mapped (rewrite.addresses)." }
        return nil
    }

    private static let byHand = "It was edited while it was held (shunt hold)."

    private static let ofConnections: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "http2-settings",
    ]
    private static let ofBodies: Set<String> = [
        "content-length", "transfer-encoding", "content-encoding", "accept-ranges", "content-md5", "digest",
        "content-digest", "repr-digest",
    ]
}
