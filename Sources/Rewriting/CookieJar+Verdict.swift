extension CookieJar {
    /// The environment of a plain cookie.
    enum Verdict {
        /// Its value is that of the environment's twin.
        case known
        /// The environment's, and new or changed by a script.
        case news
        /// It belongs to the environment that the marker names, which is not the request's.
        case left
        /// It was set by a response that was under way during a switch, or it cannot be deleted.
        case foreign
        /// A hidden cookie of the environment has that name.
        case outdated
    }

    /// Short values of scripts are often equal by chance, as `de` or `true`; equal values of this length are copies.
    static var minOfCopy: Int { 16 }

    func verdict(of cookie: Cookie, isAtHome: Bool, in bytes: Span<UInt8>) -> Verdict {
        var isCopy = false
        var isKnown = false
        var isHidden = false
        for twin in cookies where twin.name.count == cookie.name.count && twin.owner != .plain {
            guard CookieText.areEqual(bytes, twin.name, cookie.name) else { continue }
            switch twin.owner {
            case .own(.hidden): isHidden = true
            case .own(.visible): isKnown = isKnown || CookieText.areEqual(bytes, twin.value, cookie.value)
            case .other(.visible):
                isCopy =
                    isCopy
                    || (cookie.value.count >= Self.minOfCopy && CookieText.areEqual(bytes, twin.value, cookie.value))
            case .plain, .other(.hidden): continue
            }
        }
        guard isAtHome else { return .left }
        return isHidden ? .outdated : isKnown ? .known : isCopy ? .foreign : .news
    }

    /// The labels of a plain cookie's domain, as its twin says; 0 for one that a script made.
    func scope(of cookie: Cookie, in bytes: Span<UInt8>) -> Int {
        var other: Int?
        for twin in cookies where twin.name.count == cookie.name.count {
            switch twin.owner {
            case .own(.visible(let scope)):
                if CookieText.areEqual(bytes, twin.name, cookie.name) { return scope }
            case .other(.visible(let scope)):
                if other == nil, CookieText.areEqual(bytes, twin.name, cookie.name) { other = scope }
            case .plain, .own(.hidden), .other(.hidden): continue
            }
        }
        return other ?? 0
    }

    /// How plain cookies of that name stand to the environment's twin of it.
    struct Standing {
        var isThere = false
        /// One of them has the twin's value.
        var isKnown = false
        var news: Cookie?
    }

    func standing(of twin: Cookie, in bytes: Span<UInt8>) -> Standing {
        var standing = Standing()
        for cookie in cookies where cookie.owner == .plain && cookie.name.count == twin.name.count {
            guard CookieText.areEqual(bytes, cookie.name, twin.name) else { continue }
            standing.isThere = true
            if CookieText.areEqual(bytes, cookie.value, twin.value) {
                standing.isKnown = true
            } else if cookie.verdict == .news {
                standing.news = cookie
            }
        }
        return standing
    }

    /// Whether the environment keeps a cookie of that name that scripts may read, or one that they may not.
    func keeps(_ name: Range<Int>, isHidden: Bool, in bytes: Span<UInt8>) -> Bool {
        for cookie in cookies where cookie.name.count == name.count {
            if case .own(let kind) = cookie.owner, (kind == .hidden) == isHidden,
                CookieText.areEqual(bytes, cookie.name, name)
            {
                return true
            }
        }
        return false
    }
}
