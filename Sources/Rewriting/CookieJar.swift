internal import Bytes
internal import HTTP

/// Keeps the cookies of several environments apart in the client (opt-in); Shunt itself stores none.
///
/// - `shunt~JAR~h~name` is a cookie that scripts may not read. Only Shunt uses that name.
/// - `shunt~JAR~v~name` is the twin of one that scripts may read, which is kept under its own name too: under that name
///   there is only one at a time, and scripts may change it.
/// - `shunt~env` names the jar that the cookies under their own names belong to.
///
/// A cookie for a whole domain is kept for that domain. As each host may be with another environment then, the labels of
/// that domain are counted in `v2` and `shunt~env2`: what belongs together is seen by the same hosts. The same holds for
/// partitioned cookies, of which there is one for each site that embeds the host: `p`, `p2`, `shunt~envp`. The cookies
/// that scripts may read have `/` for a path, all of them; else a page elsewhere could neither replace nor delete them.
struct CookieJar {
    enum Kind: Equatable {
        case hidden
        /// With its scope: the labels of its domain, or 0 for a cookie of one host, and ``partitioned`` more for one that
        /// is partitioned.
        case visible(Int)
    }

    struct Cookie {
        enum Owner: Equatable {
            /// Under its own name, or under one that Shunt made up for it.
            case plain
            case own(Kind)
            case other(Kind)
        }

        let owner: Owner
        /// As the client has it.
        let spelled: Range<Int>
        /// As its origin has it.
        let name: Range<Int>
        let value: Range<Int>
        /// The name of its jar; empty for a plain one.
        let jar: Range<Int>
        /// Of a plain one: whose it is, and the labels of its domain.
        fileprivate(set) var verdict = Verdict.left
        fileprivate(set) var scope = 0
    }

    /// Further cookies are not sent, nor kept.
    static let maxCookies = 200
    /// More labels than that are not counted: one digit.
    static let maxLabels = 9
    /// What the scopes of partitioned cookies are counted from.
    static let partitioned = 10
    static var common: StaticString { "-" }

    private(set) var cookies = ContiguousArray<Cookie>()
    /// The jars that plain cookies belong to, by scope; empty where nothing is said.
    private(set) var markers = ContiguousArray<Range<Int>>(repeating: 0..<0, count: 2 * partitioned)
    /// Cookies of that scope play a part.
    private(set) var scopes: UInt32 = 1
    /// There is a cookie of some jar, or a marker; without one, the client sets its cookies by itself.
    private(set) var isInUse = false

    /// Reads what a request's Cookie fields hold for the environment of `settings`.
    init(_ fields: [Field], from bytes: Span<UInt8>, settings: RewriteRules.Settings) {
        for field in fields where field.id == .cookie {
            var start = field.value.lowerBound
            while start < field.value.upperBound, cookies.count < Self.maxCookies {
                let stop = CookieText.first(0x3B, in: bytes, start..<field.value.upperBound)
                let segment = CookieText.trimmed(bytes, start..<stop)
                if !segment.isEmpty { read(segment, in: bytes, settings: settings) }
                start = stop + 1
            }
        }
        for index in cookies.indices where cookies[index].owner == .plain {
            let scope = scope(of: cookies[index], in: bytes)
            let isAtHome = isAtHome(scope, in: bytes, settings: settings)
            cookies[index].scope = scope
            cookies[index].verdict = verdict(of: cookies[index], isAtHome: isAtHome, in: bytes)
        }
    }

    private mutating func read(_ segment: Range<Int>, in bytes: Span<UInt8>, settings: RewriteRules.Settings) {
        let pair = CookiePair(bytes, segment)
        guard pair.isOwn(bytes) else { return insert(.plain, pair, name: pair.name) }
        if CookieText.begins(bytes, pair.name, with: CookieName.escape) {
            let name = pair.name.lowerBound + CookieName.escape.utf8CodeUnitCount..<pair.name.upperBound
            return insert(.plain, pair, name: name)
        }
        guard CookieText.begins(bytes, pair.name, with: CookieName.own) else { return }
        let rest = pair.name.lowerBound + CookieName.own.utf8CodeUnitCount..<pair.name.upperBound
        let jar = rest.lowerBound..<CookieText.first(0x7E, in: bytes, rest)
        guard jar.upperBound < rest.upperBound else { return readMarker(jar, value: pair.value, in: bytes) }
        let tail = jar.upperBound + 1..<rest.upperBound
        let word = tail.lowerBound..<CookieText.first(0x7E, in: bytes, tail)
        guard word.upperBound < tail.upperBound, Self.isJar(bytes, jar), let kind = Self.kind(bytes, word) else {
            return
        }
        if case .visible(let scope) = kind { scopes |= 1 << UInt32(scope) }
        isInUse = true
        insert(
            Self.isJar(bytes, jar, settings.jar) ? .own(kind) : .other(kind), pair,
            name: word.upperBound + 1..<tail.upperBound, jar: jar)
    }

    private mutating func readMarker(_ word: Range<Int>, value: Range<Int>, in bytes: Span<UInt8>) {
        guard CookieText.begins(bytes, word, with: "env") else { return }
        let start = word.lowerBound + 3
        let isPartitioned = start < word.upperBound && bytes[start] == 0x70
        guard let labels = Self.labels(bytes, start + (isPartitioned ? 1 : 0)..<word.upperBound) else { return }
        let scope = labels + (isPartitioned ? Self.partitioned : 0)
        guard Self.isJar(bytes, value), markers[scope].isEmpty else { return }
        markers[scope] = value
        scopes |= 1 << UInt32(scope)
        isInUse = true
    }

    private mutating func insert(
        _ owner: Cookie.Owner, _ pair: CookiePair, name: Range<Int>, jar: Range<Int> = 0..<0
    ) {
        cookies.append(Cookie(owner: owner, spelled: pair.name, name: name, value: pair.value, jar: jar))
    }

    private static func kind(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Kind? {
        guard let first = word.first else { return nil }
        switch bytes[first] {
        case 0x68: return word.count == 1 ? .hidden : nil
        case 0x76: return labels(bytes, first + 1..<word.upperBound).map { .visible($0) }
        case 0x70: return labels(bytes, first + 1..<word.upperBound).map { .visible($0 + partitioned) }
        default: return nil
        }
    }

    /// The labels that a name counts: nothing, or a digit from 2 on.
    private static func labels(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> Int? {
        guard let first = digits.first else { return 0 }
        let labels = Int(bytes[first]) - 0x30
        return digits.count == 1 && labels >= 2 && labels <= maxLabels ? labels : nil
    }

    /// Whether the range may name a jar: a profile's name, or `-`.
    private static func isJar(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = range.first, range.count <= 64 else { return false }
        if range.count == 1, bytes[first] == 0x2D { return true }
        for index in range {
            switch bytes[index] {
            case 0x61...0x7A, 0x30...0x39: continue
            case 0x2D, 0x2E, 0x5F: guard index > first else { return false }
            default: return false
            }
        }
        return true
    }

    private static func isJar(_ bytes: Span<UInt8>, _ range: Range<Int>, _ jar: String?) -> Bool {
        CookieText.isEqual(bytes, range, jar ?? "-")
    }

    /// Whether the plain cookies of that scope are the environment's.
    func isAtHome(_ scope: Int, in bytes: Span<UInt8>, settings: RewriteRules.Settings) -> Bool {
        !isInUse || isMarked(scope, in: bytes, settings: settings)
    }

    /// Whether the client knows already that the plain cookies of that scope are the environment's.
    func isMarked(_ scope: Int, in bytes: Span<UInt8>, settings: RewriteRules.Settings) -> Bool {
        let marker = markers[scope]
        return marker.isEmpty ? settings.jar == nil : Self.isJar(bytes, marker, settings.jar)
    }
}
