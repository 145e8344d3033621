internal import Bytes

extension CookieJar {
    /// The approximate limit of what is added to one response.
    ///
    /// Beyond it the plain cookies stay with their environment, and are not sent to another one.
    private static let maxBytes = 16384

    /// Appends lines that hand the plain cookies over to the environment, and keep its twins as its scripts want them;
    /// or a part of the lines and false.
    ///
    /// - Parameter path: the request's, where the origin asks the client to delete its cookies.
    func appendResponse(
        from bytes: Span<UInt8>, settings: RewriteRules.Settings, authority: Span<UInt8>, client: ClientName,
        clearing path: Range<Int>?, to out: inout Buffer
    ) -> Bool {
        var lines = ContiguousArray<Line>()
        for cookie in cookies {
            if let line = path == nil ? line(for: cookie, in: bytes, settings) : clearing(cookie) {
                lines.append(line)
            }
        }
        for cookie in cookies where isDeleted(cookie, in: bytes) || path != nil && isPresent(cookie) {
            lines.append(Line(place: .spelled, name: cookie.spelled, value: nil, scope: cookie.scope))
        }
        if let path {
            guard appendHiddenCleared(below: path, from: bytes, authority, client, to: &out) else { return false }
        }
        var length = 0
        for line in lines { length += line.name.count + (line.value?.count ?? 0) + Line.usualLength }
        guard length <= Self.maxBytes else { return true }
        for line in lines where Self.isSeen(line.scope, authority, client) {
            guard line.append(from: bytes, settings, authority, client, to: &out) else { return false }
        }
        for scope in 0..<2 * Self.partitioned where scopes >> UInt32(scope) & 1 == 1 {
            guard !isMarked(scope, in: bytes, settings: settings), Self.isSeen(scope, authority, client) else {
                continue
            }
            guard Self.appendMarker(scope, settings, authority, client, to: &out) else { return false }
        }
        return true
    }

    /// Whether the client's host has a scope.
    private static func isSeen(_ scope: Int, _ authority: Span<UInt8>, _ client: ClientName) -> Bool {
        scope % partitioned == 0 || domain(scope, authority, client) != nil
    }

    private func line(for cookie: Cookie, in bytes: Span<UInt8>, _ settings: RewriteRules.Settings) -> Line? {
        switch cookie.owner {
        case .own(.visible(let scope)):
            if keeps(cookie.name, isHidden: true, in: bytes) { return nil }
            let standing = standing(of: cookie, in: bytes)
            if standing.isKnown { return nil }
            let isAtHome = isAtHome(scope, in: bytes, settings: settings)
            if isAtHome, let news = standing.news {
                return Line(place: .own, name: cookie.name, value: news.value, scope: scope)
            }
            // A script deleted it.
            if isAtHome, !standing.isThere {
                return Line(place: .own, name: cookie.name, value: nil, scope: scope)
            }
            return Line(place: .plain, name: cookie.name, value: cookie.value, scope: scope)
        case .plain:
            switch cookie.verdict {
            case .news:
                if keeps(cookie.name, isHidden: false, in: bytes) { return nil }
                return Line(place: .own, name: cookie.name, value: cookie.value, scope: cookie.scope)
            case .left:
                if isSaved(cookie, in: bytes) { return nil }
                return Line(
                    place: .other(markers[cookie.scope]), name: cookie.name, value: cookie.value, scope: cookie.scope)
            case .known, .foreign, .outdated: return nil
            }
        case .own(.hidden), .other: return nil
        }
    }

    private func isDeleted(_ cookie: Cookie, in bytes: Span<UInt8>) -> Bool {
        guard cookie.owner == .plain else { return false }
        switch cookie.verdict {
        case .outdated: return true
        case .left: return !keeps(cookie.name, isHidden: false, in: bytes)
        case .known, .news, .foreign: return false
        }
    }

    /// Whether the jar that the marker names has the value, or it is a copy of what another jar has.
    private func isSaved(_ cookie: Cookie, in bytes: Span<UInt8>) -> Bool {
        let jar = markers[cookie.scope]
        for twin in cookies where twin.name.count == cookie.name.count && twin.value.count == cookie.value.count {
            switch twin.owner {
            case .own(.visible), .other(.visible): break
            case .plain, .own(.hidden), .other(.hidden): continue
            }
            guard CookieText.areEqual(bytes, twin.name, cookie.name),
                CookieText.areEqual(bytes, twin.value, cookie.value)
            else { continue }
            if cookie.value.count >= Self.minOfCopy { return true }
            let isItsOwn =
                jar.isEmpty
                ? twin.jar.count == 1 && CookieText.begins(bytes, twin.jar, with: Self.common)
                : CookieText.areEqual(bytes, twin.jar, jar)
            if isItsOwn { return true }
        }
        return false
    }
}
