internal import Bytes
internal import HTTP

// Clear-Site-Data would delete the cookies of all environments: the environment's own are deleted one by one instead.
extension CookieJar {
    /// The approximate limit of what deletes hidden cookies.
    private static let maxBytes = 16384

    /// Whether a Clear-Site-Data field asks for cookies to be deleted.
    static func clears(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        let value = bytes.extracting(value)
        var members = ListMembers()
        while let member = members.next(value) {
            if value.isText("\"cookies\"", in: member) || value.isText("\"*\"", in: member) { return true }
        }
        return false
    }

    /// Writes a Clear-Site-Data field without its cookies; a field of cookies alone is left out.
    static func rewrite(clearSiteData field: Field, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard clears(copy.bytes, field.value) else { return true }
        let value = copy.bytes.extracting(field.value)
        var rest = ""
        var members = ListMembers()
        while let member = members.next(value) {
            if value.isText("\"cookies\"", in: member) { continue }
            let isAll = value.isText("\"*\"", in: member)
            rest += rest.isEmpty ? "" : ", "
            rest +=
                isAll
                ? "\"cache\", \"storage\", \"executionContexts\""
                : String(decoding: value.extracting(member).copied, as: UTF8.self)
        }
        if rest.isEmpty { return copy.leaveOut(field.line, to: &out) }
        return copy.leaveOut(field.value, to: &out) && out.appendWhole(Array(rest.utf8).span)
    }

    /// Deletes a twin.
    func clearing(_ cookie: Cookie) -> Line? {
        guard case .own(.visible(let scope)) = cookie.owner else { return nil }
        return Line(place: .own, name: cookie.name, value: nil, scope: scope)
    }

    /// Whether it is one of the environment's under its own name.
    func isPresent(_ cookie: Cookie) -> Bool {
        guard cookie.owner == .plain else { return false }
        return cookie.verdict == .known || cookie.verdict == .news
    }

    /// Appends lines that delete the environment's hidden cookies, or a part of them and false.
    ///
    /// A client does not say which path and domain a cookie has, so that all are named that match the request.
    func appendHiddenCleared(
        below path: Range<Int>, from bytes: Span<UInt8>, _ authority: Span<UInt8>, _ client: ClientName,
        to out: inout Buffer
    ) -> Bool {
        var length = 0
        for cookie in cookies where cookie.owner == .own(.hidden) {
            for scope in 0...Self.maxLabels where scope != 1 {
                if scope > 0, Self.domain(scope, authority, client) == nil { continue }
                for end in Self.ends(of: path, in: bytes) {
                    length += cookie.spelled.count + end - path.lowerBound + 60
                    guard length <= Self.maxBytes else { return true }
                    guard out.appendWhole("Set-Cookie: "), out.appendWhole(bytes.extracting(cookie.spelled)),
                        out.appendWhole("=; Path="),
                        end == path.lowerBound
                            ? out.appendWhole("/") : out.appendWhole(bytes.extracting(path.lowerBound..<end)),
                        Self.appendDomain(scope, authority, client, to: &out),
                        out.appendWhole(client.isSecure ? "; Secure; Max-Age=0\r\n" : "; Max-Age=0\r\n")
                    else { return false }
                }
            }
        }
        return true
    }

    /// Where the paths end that match a request's (RFC 6265bis 5.1.4): `/`, `/a`, `/a/` and so on.
    private static func ends(of path: Range<Int>, in bytes: Span<UInt8>) -> [Int] {
        var ends = [path.lowerBound]
        for index in path.dropFirst() where bytes[index] == 0x2F {
            ends.append(index)
            if index + 1 < path.upperBound { ends.append(index + 1) }
        }
        if path.count > 1 { ends.append(path.upperBound) }
        return ends.count > 16 ? Array(ends.prefix(16)) : ends
    }
}
