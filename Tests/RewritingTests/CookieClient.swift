/// A small client of RFC 6265bis: what a browser keeps and sends, and what its scripts see.
struct CookieClient {
    struct Cookie {
        var name: String
        var value: String
        var domain: String
        var isHostOnly: Bool
        var path: String
        var isSecure = false
        var isHTTPOnly = false
        var isPersistent = false
        /// It is sent from other sites, too.
        var isForAll = false
        /// The site that embeds the host, for a cookie that is kept apart for each (CHIPS); nil for others.
        var partition: String?
    }

    var isSecure = true
    /// The site whose page embeds the host; nil for its own.
    var embedder: String?
    private(set) var cookies: [Cookie] = []

    /// Takes the value of a Set-Cookie field, or what a script gives to `document.cookie`.
    mutating func set(_ text: some StringProtocol, host: String, path: String, byScript: Bool = false) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        let (name, value) = Self.pair(parts[0])
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        var cookie = Cookie(
            name: name, value: value, domain: host, isHostOnly: true, path: directory.isEmpty ? "/" : directory)
        var isGone = false
        for part in parts.dropFirst() {
            let (key, value) = part.contains("=") ? Self.pair(part) : (part, "")
            switch key.lowercased() {
            case "secure": cookie.isSecure = true
            case "httponly": cookie.isHTTPOnly = true
            case "samesite": cookie.isForAll = value.lowercased() == "none"
            case "partitioned": cookie.partition = embedder ?? "itself"
            case "max-age":
                isGone = (Int(value) ?? 1) <= 0
                cookie.isPersistent = true
            case "expires":
                isGone = value.contains("1970")
                cookie.isPersistent = true
            case "path": if value.hasPrefix("/") { cookie.path = value }
            case "domain":
                let domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                guard domain.contains("."), host == domain || host.hasSuffix("." + domain) else { return }
                cookie.domain = domain
                cookie.isHostOnly = false
            default: break
            }
        }
        if cookie.partition != nil && !cookie.isSecure || embedder != nil && !cookie.isForAll { return }
        let isSpecial = name.lowercased().hasPrefix("__host-")
        if cookie.isSecure && !isSecure || byScript && cookie.isHTTPOnly || name.isEmpty && value.isEmpty { return }
        if isSpecial && !(cookie.isSecure && cookie.isHostOnly && cookie.path == "/") { return }
        let index = cookies.firstIndex {
            $0.name == name && $0.domain == cookie.domain && $0.isHostOnly == cookie.isHostOnly
                && $0.path == cookie.path && $0.partition == cookie.partition
        }
        if let index, byScript, cookies[index].isHTTPOnly { return }
        switch (index, isGone) {
        case (let index?, true): cookies.remove(at: index)
        case (let index?, false): cookies[index] = cookie
        case (nil, false): cookies.append(cookie)
        case (nil, true): break
        }
    }

    /// The cookies of a request, in the order of their Cookie field.
    func cookies(host: String, path: String, forScript: Bool = false) -> [String] {
        let sent = cookies.filter { cookie in
            (cookie.isHostOnly ? host == cookie.domain : host == cookie.domain || host.hasSuffix("." + cookie.domain))
                && (path == cookie.path
                    || path.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"))
                && (embedder == nil || cookie.isForAll)
                && (cookie.partition == nil || cookie.partition == embedder ?? "itself")
                && (isSecure || !cookie.isSecure) && !(forScript && cookie.isHTTPOnly)
        }
        // Stable: longer paths first.
        return sent.enumerated().sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
            .map { $0.element.name.isEmpty ? $0.element.value : $0.element.name + "=" + $0.element.value }
    }

    /// Ends the session: what has no date goes.
    mutating func restart() { cookies.removeAll { !$0.isPersistent } }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func pair(_ text: String) -> (String, String) {
        guard let equals = text.firstIndex(of: "=") else { return ("", text) }
        return (trimmed(text[..<equals]), trimmed(text[text.index(after: equals)...]))
    }
}
