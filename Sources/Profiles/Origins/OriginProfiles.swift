import JSON

/// Profiles that consist of origins alone: `shunt serve --origin` serves them, `shunt init --local URL` writes them.
package struct OriginProfiles: Sendable {
    private struct Entry: Sendable {
        /// nil for every host.
        let host: String?
        let text: String
        let url: OriginURL
    }

    /// In the order given.
    package private(set) var names: [String] = []
    private var entries: [String: [Entry]] = [:]

    package init() {}

    /// The profile of origins that come without one.
    private static let usualName = "local"

    /// Adds `URL`, `HOST=URL` or `PROFILE=URL`; a name with a dot, a colon or a `*` is a host, and so is `localhost`.
    package mutating func add(_ text: String) throws(Refusal) {
        guard let equals = text.firstIndex(of: "="), !text[..<equals].contains("/") else {
            return try add(text, profile: Self.usualName, host: nil)
        }
        let name = String(text[..<equals])
        let origin = String(text[text.index(after: equals)...])
        let isHost = name == "localhost" || name.contains { ".:*".contains($0) }
        try add(origin, profile: isHost ? Self.usualName : name, host: isHost ? name : nil)
    }

    package mutating func add(_ origin: String, profile: String, host: String?) throws(Refusal) {
        guard isProfileName(profile) else {
            throw Refusal(
                message: "“\(profile)” is no name for a profile",
                hint: "Use lower-case letters, digits, `-` and `_`; a host has a dot, like api.shop.test.")
        }
        if let host { _ = try HostPattern(parsing: host, allowsLoopback: false) }
        let url = try OriginURL(parsing: origin)
        let present = entries[profile, default: []]
        guard !present.contains(where: { $0.host == host }) else {
            throw Refusal(
                message: "profile \(profile) has two origins for \(host.map { "the host \($0)" } ?? "every host")",
                hint: "Give each a host, HOST=URL, or a profile, PROFILE=URL.")
        }
        if present.isEmpty { names.append(profile) }
        entries[profile, default: []].append(Entry(host: host, text: origin, url: url))
    }

    /// The profiles' files, as `shunt init` writes them.
    package var files: [(name: String, text: String)] {
        names.map { name in
            let text = text(of: name)
            return ("\(name).json", (try? JSONFormatter.format(text)) ?? text)
        }
    }

    private func text(of name: String) -> String {
        let entries = entries[name] ?? []
        let kind = kind(of: name)
        var lines = [
            "{", #""$schema": "./profile.schema.json","#, #""kind": "\#(kind.rawValue)","#, "", #""routes": ["#,
        ]
        for entry in entries {
            let host = entry.host.map { #""host": \#(quoted($0)), "# } ?? ""
            lines.append(#"{ \#(host)"origin": \#(quoted(entry.text)) },"#)
        }
        // An app whose base URL is Shunt's own address asks for the host localhost.
        if let first = entries.first, !entries.contains(where: { $0.host == nil || $0.host == "localhost" }) {
            lines.append("// Shunt's own address as the base URL: https://localhost:4884.")
            lines.append(#"{ "host": "localhost", "origin": \#(quoted(first.text)) },"#)
        }
        lines.append("],")
        if name == names.first {
            lines += [
                "", "// The next step: more routes for parts of it; the most specific one wins, wherever it is:",
                #"// { "path": "/v1/cart/*", "origin": "http://localhost:3001" },"#,
                #"// { "path": "/v1/promo", "mock": { "json": { "banner": null } } },"#,
            ]
        }
        let unverified = unverifiedHosts(of: entries, kind)
        if !unverified.isEmpty {
            lines += ["", "// Servers on this machine usually have self-signed certificates. All others are checked."]
            let rules = unverified.map { "\(quoted($0)): \"disabled\"" }.joined(separator: ", ")
            lines.append(#""trust": { \#(rules) },"#)
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private func kind(of name: String) -> ProfileKind {
        switch name {
        case "production", "prod", "live": .production
        case Self.usualName: .local
        default: .staging
        }
    }

    /// Loopback hosts with TLS, unless a production profile has an origin there: such a rule would be refused.
    private func unverifiedHosts(of entries: [Entry], _ kind: ProfileKind) -> [String] {
        guard kind != .production else { return [] }
        let guarded = names.filter { self.kind(of: $0) == .production }.flatMap { self.entries[$0] ?? [] }
        var hosts: [String] = []
        for url in entries.map(\.url) where url.isTLS && isLoopback(url.host) {
            let host = url.host.contains(":") ? "[\(url.host)]" : url.host
            if !hosts.contains(host), !guarded.contains(where: { $0.url.host == url.host }) { hosts.append(host) }
        }
        return hosts
    }

    private func quoted(_ text: String) -> String {
        return String(decoding: JSONWriter.bytes(of: text), as: UTF8.self)
    }
}

extension ProfileLibrary {
    /// The profiles that origins stand for, without a file.
    package static func load(
        _ origins: OriginProfiles, settings: RunSettings? = nil, now: Int64? = nil
    ) throws(ProfileProblems) -> ProfileLibrary {
        try load(
            files: origins.files.map { ("--origin/\($0.name)", Array($0.text.utf8)) }, settings: settings, now: now)
    }
}
