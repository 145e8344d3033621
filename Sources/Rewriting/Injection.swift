/// HTML that a route puts into pages, with what policies of pages have to know of it.
public final class Injection: Sendable {
    /// Goes in front of the page's own scripts: right behind `<head>`.
    let start: InjectedHTML
    /// Goes to the end of the head.
    let head: InjectedHTML
    /// Goes to the end of the body.
    let body: InjectedHTML
    /// Its scripts send requests to the page's own origin.
    let connects: Bool

    /// - Parameter digest: SHA-256 in Base64; nil where it cannot be had.
    public init(
        start: [UInt8] = [], head: [UInt8], body: [UInt8], connects: Bool = false, digest: ([UInt8]) -> String?
    ) {
        self.start = InjectedHTML(start, digest)
        self.head = InjectedHTML(head, digest)
        self.body = InjectedHTML(body, digest)
        self.connects = connects
    }

    /// Whether a response of that Content-Type is a page; XHTML is not, where scripts are written in another way.
    public static func concerns(_ contentType: [UInt8]) -> Bool {
        let type = String(decoding: contentType, as: UTF8.self).lowercased()
        let essence = type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return essence == "text/html"
    }

    /// What is put into a page with these policies; nil where they keep scripts from running at all.
    ///
    /// - Parameter policies: the values of its Content-Security-Policy fields.
    public func use(below policies: [String]) -> InjectionUse? {
        let parsed = policies.flatMap { PagePolicy.list($0) }
        guard !parsed.contains(where: { $0.forbidsScripts }) || !hasScripts else { return nil }
        return InjectionUse(self, nonce: parsed.lazy.compactMap { $0.nonce(for: self) }.first)
    }

    var hasScripts: Bool { start.hasScripts || head.hasScripts || body.hasScripts }
    var scripts: [String] { start.scripts + head.scripts + body.scripts }
    var styles: [String] { start.styles + head.styles + body.styles }
}

/// What is put into one page.
public struct InjectionUse: Sendable {
    let injection: Injection
    /// The one of the page's policy.
    let nonce: String?

    init(_ injection: Injection, nonce: String?) {
        self.injection = injection
        self.nonce = nonce
    }

    var start: [UInt8] { injection.start.html(nonce: nonce) }
    var head: [UInt8] { injection.head.html(nonce: nonce) }
    var body: [UInt8] { injection.body.html(nonce: nonce) }

    /// A policy's text as it has to be for what is put in; nil where it may stay.
    public func allowing(_ policies: String) -> String? {
        let parsed = PagePolicy.list(policies)
        var isChanged = false
        let changed = parsed.map { policy in
            guard let other = policy.allowing(self) else { return policy.text }
            isChanged = true
            return other
        }
        return isChanged ? changed.joined(separator: ",") : nil
    }
}

/// HTML with its scripts and styles.
struct InjectedHTML: Sendable {
    /// The HTML in pieces: between two of them an attribute may stand.
    private var pieces: [[UInt8]] = []
    /// `'sha256-…'` of each inline script.
    private(set) var scripts: [String] = []
    private(set) var styles: [String] = []
    private(set) var hasScripts = false

    init(_ html: [UInt8], _ digest: ([UInt8]) -> String?) {
        var start = 0
        var at = 0
        while at < html.count {
            guard html[at] == UInt8(ascii: "<"), let name = Self.element(html, at + 1) else {
                at += 1
                continue
            }
            let behind = at + 1 + name.utf8.count
            let end = Self.endOfTag(html, behind)
            let attributes = String(decoding: html[behind..<end], as: UTF8.self).lowercased()
            if !attributes.contains("nonce=") {
                pieces.append(Array(html[start..<behind]))
                start = behind
            }
            at = min(end + 1, html.count)
            guard name != "link" else { continue }
            let close = Self.closing(name, in: html, from: at)
            if name == "script" { hasScripts = true }
            if !attributes.contains("src="), let digest = digest(Array(html[at..<close])) {
                let source = "'sha256-\(digest)'"
                if name == "script" { scripts.append(source) } else { styles.append(source) }
            }
            at = close
        }
        pieces.append(Array(html[start...]))
    }

    func html(nonce: String?) -> [UInt8] {
        let attribute = nonce.map { Array(" nonce=\"\($0)\"".utf8) } ?? []
        return Array(pieces.joined(separator: attribute))
    }

    private static func element(_ html: [UInt8], _ start: Int) -> String? {
        for name in ["script", "style", "link"] {
            let end = start + name.utf8.count
            guard end < html.count, zip(html[start..<end], name.utf8).allSatisfy({ $0 | 0x20 == $1 }),
                html[end] <= 0x20 || html[end] == UInt8(ascii: "/") || html[end] == UInt8(ascii: ">")
            else { continue }
            return name
        }
        return nil
    }

    private static func endOfTag(_ html: [UInt8], _ start: Int) -> Int {
        var quote: UInt8?
        for at in start..<html.count {
            if let open = quote {
                if html[at] == open { quote = nil }
            } else if html[at] == UInt8(ascii: "\"") || html[at] == UInt8(ascii: "'") {
                quote = html[at]
            } else if html[at] == UInt8(ascii: ">") {
                return at
            }
        }
        return html.count
    }

    private static func closing(_ name: String, in html: [UInt8], from start: Int) -> Int {
        let text = Array("</\(name)".utf8)
        var at = start
        while at + text.count <= html.count {
            if zip(html[at...], text).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) { return at }
            at += 1
        }
        return html.count
    }
}
