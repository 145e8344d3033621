import Profiles

/// The hosts that get a port of their own for one run, and the variables that name them.
struct RunHosts: Sendable {
    /// Which of the ports: that of all hosts, or one host's.
    enum Place: Hashable, Sendable {
        case main
        case host(Int)
    }

    /// A variable that an app reads its base URL from.
    struct Base: Sendable {
        let variable: String
        let url: BaseURL
        var place: Place
    }

    /// In the order of their ports.
    private(set) var hosts: [NamedHost]
    /// `SHUNT_URL_API_SHOP_TEST` with the place that it names.
    private(set) var variables: [(name: String, place: Place)] = []
    private(set) var bases: [Base] = []

    /// - Parameter bases: `NAME=URL` each, as `--base-url-env` has them.
    init(_ profile: Profile, bases texts: [String]) throws {
        hosts = profile.namedHosts
        for (index, host) in hosts.enumerated() {
            let plain = "SHUNT_URL_" + Self.variableName(host.authority)
            var (name, number) = (plain, 1)
            while variables.contains(where: { $0.name == name }) {
                number += 1
                name = "\(plain)_\(number)"
            }
            variables.append((name, .host(index)))
        }
        for text in texts { try add(text, profile) }
    }

    private mutating func add(_ text: String, _ profile: Profile) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, Self.isVariable(parts[0]), let url = BaseURL(parts[1]) else {
            throw UsageError(
                "--base-url-env “\(text)” is no variable with a URL",
                advice: "Write it as API_URL=https://api.shop.test.")
        }
        guard profile.hasRoute(for: url) else {
            let names = profile.namedHosts.map(\.authority).joined(separator: ", ")
            throw CommandFailure(
                "--base-url-env \(text): no route of profile \(profile.name) is for \(url.named.authority)",
                advice: names.isEmpty ? nil : "Its routes are for \(names).")
        }
        let index = hosts.firstIndex(of: url.named) ?? hosts.count
        if index == hosts.count { hosts.append(url.named) }
        bases.append(Base(variable: parts[0], url: url, place: .host(index)))
    }

    /// That of a host with a port of its own.
    func place(ofAuthority authority: String) -> Place? {
        hosts.firstIndex { $0.authority == authority }.map { .host($0) }
    }

    /// `API_SHOP_TEST` for `api.shop.test`.
    static func variableName(_ host: String) -> String {
        String(host.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func isVariable(_ name: String) -> Bool {
        !name.isEmpty && name.first?.isNumber == false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
