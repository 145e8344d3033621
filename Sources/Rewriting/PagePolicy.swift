/// One Content-Security-Policy (CSP3) and what it says to HTML that is put into the page.
struct PagePolicy {
    let text: String
    private let directives: [Substring]

    /// The policies of a field's value.
    static func list(_ value: String) -> [PagePolicy] {
        value.split(separator: ",", omittingEmptySubsequences: false).map { PagePolicy(String($0)) }
    }

    private init(_ text: String) {
        self.text = text
        directives = text.split(separator: ";", omittingEmptySubsequences: false)
    }

    /// Of a kind of inline elements, the directives that decide, the first one that is there (CSP3 6.8.3).
    private enum Kind: CaseIterable {
        case script, style

        var names: [String] {
            switch self {
            case .script: ["script-src-elem", "script-src", "default-src"]
            case .style: ["style-src-elem", "style-src", "default-src"]
            }
        }

        var ownName: String { self == .script ? "script-src" : "style-src" }

        func hashes(of injection: Injection) -> [String] { self == .script ? injection.scripts : injection.styles }
    }

    /// The page is in a sandbox where no script runs, whatever its sources.
    var forbidsScripts: Bool {
        guard let sandbox = index(of: "sandbox") else { return false }
        return !words(sandbox).contains { $0.lowercased() == "allow-scripts" }
    }

    /// A nonce that inline elements of the page may have.
    func nonce(for injection: Injection) -> String? {
        for kind in Kind.allCases where !kind.hashes(of: injection).isEmpty || kind == .script && injection.hasScripts {
            guard let (at, _) = deciding(kind) else { continue }
            if let nonce = words(at).lazy.compactMap({ Self.nonce($0) }).first { return nonce }
        }
        return nil
    }

    /// The policy with the hashes that are missing; nil where nothing is.
    func allowing(_ use: InjectionUse) -> String? {
        var changed = directives.map { String($0) }
        var added: [String] = []
        for kind in Kind.allCases {
            let hashes = kind.hashes(of: use.injection)
            guard !hashes.isEmpty, let (at, name) = deciding(kind) else { continue }
            let sources = words(at)
            guard !allowsInline(sources, kind),
                !sources.contains(where: { Self.nonce($0) != nil && Self.nonce($0) == use.nonce })
            else { continue }
            let missing = hashes.filter { !sources.contains(Substring($0)) }
            guard !missing.isEmpty else { continue }
            let kept = sources.filter { $0.lowercased() != "'none'" }.map { String($0) }
            let list = (kept + missing).joined(separator: " ")
            if name == "default-src" {
                added.append(" \(kind.ownName) \(list)")
            } else {
                changed[at] = (at == 0 ? "" : " ") + "\(name) \(list)"
            }
        }
        if use.injection.connects, let (at, name) = connections {
            let sources = words(at)
            if !sources.contains(where: { $0.lowercased() == "'self'" || $0 == "*" }) {
                let kept = sources.filter { $0.lowercased() != "'none'" }.map { String($0) }
                let list = (kept + ["'self'"]).joined(separator: " ")
                if name == "default-src" {
                    added.append(" connect-src \(list)")
                } else {
                    changed[at] = (at == 0 ? "" : " ") + "\(name) \(list)"
                }
            }
        }
        let all = changed + added
        // Behind a policy's last semicolon nothing stands.
        if !added.isEmpty, changed.last?.allSatisfy(\.isWhitespace) == true {
            return (changed.dropLast() + added).joined(separator: ";")
        }
        return all == directives.map { String($0) } ? nil : all.joined(separator: ";")
    }

    /// CSP3 6.7.3.2: hashes, nonces and 'strict-dynamic' switch 'unsafe-inline' off.
    private func allowsInline(_ sources: [Substring], _ kind: Kind) -> Bool {
        let words = sources.map { $0.lowercased() }
        guard words.contains("'unsafe-inline'") else { return false }
        return !words.contains { word in
            word.hasPrefix("'nonce-") || word.hasPrefix("'sha256-") || word.hasPrefix("'sha384-")
                || word.hasPrefix("'sha512-") || kind == .script && word == "'strict-dynamic'"
        }
    }

    private func deciding(_ kind: Kind) -> (index: Int, name: String)? {
        for name in kind.names {
            if let at = index(of: name) { return (at, name) }
        }
        return nil
    }

    /// The directive that decides where scripts may send requests (CSP3 6.1.2).
    private var connections: (index: Int, name: String)? {
        for name in ["connect-src", "default-src"] {
            if let at = index(of: name) { return (at, name) }
        }
        return nil
    }

    /// The first directive of a name counts (CSP3 2.2.1).
    private func index(of name: String) -> Int? {
        directives.firstIndex { Self.split($0).first?.lowercased() == name }
    }

    /// The values of a directive.
    private func words(_ at: Int) -> [Substring] { Array(Self.split(directives[at]).dropFirst()) }

    private static func split(_ directive: Substring) -> [Substring] { directive.split { $0.isWhitespace } }

    /// The nonce that a source names; nil for what cannot stand in an attribute as it is.
    private static func nonce(_ source: Substring) -> String? {
        guard source.lowercased().hasPrefix("'nonce-"), source.hasSuffix("'"), source.utf8.count > 8 else { return nil }
        let nonce = source.dropFirst(7).dropLast()
        return nonce.utf8.allSatisfy { isBase64($0) } ? String(nonce) : nil
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+/=-_".utf8.contains(byte)
        }
    }
}
