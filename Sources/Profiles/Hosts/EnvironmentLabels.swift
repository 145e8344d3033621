/// The environment that a host names in front: `staging--` of `staging--api.shop.test`.
public struct EnvironmentLabel: Hashable, Sendable {
    /// The index in ``ProfileLibrary/profiles``.
    public let profile: Int
    /// Bytes in front of the host that routes know, with the `--`.
    public let length: Int
}

/// What a host has in front of a `--`.
package enum HostLabel {
    case none
    /// No name of a profile.
    case unknown
    case environment(EnvironmentLabel)
}

/// Finds the environment that a host names, without making a string.
struct EnvironmentLabels: Sendable {
    private struct Name {
        let start: Int
        let count: Int
        let profile: Int
    }

    /// Longer ones first: one name may begin another.
    // Not `Array`, whose `span` needs macOS 26: it may wrap an NSArray there.
    private var names: ContiguousArray<Name> = []
    private var text: ContiguousArray<UInt8> = []
    /// Hosts that routes name exactly.
    private var hosts: ByteTable

    init(_ profiles: [Profile]) {
        // `xn--` begins every label in a script of its own (RFC 5891).
        let sorted = profiles.indices.filter { profiles[$0].name != "xn" }
            .sorted { profiles[$0].name.utf8.count > profiles[$1].name.utf8.count }
        for at in sorted {
            let name = Array(profiles[at].name.utf8)
            names.append(Name(start: text.count, count: name.count, profile: at))
            text += name
        }
        var named: Set<String> = []
        for route in profiles.flatMap(\.routes) {
            if case .exact(let host) = route.pattern.host.scope, host.range(of: "--") != nil { named.insert(host) }
        }
        hosts = ByteTable(named.sorted())
    }

    func find(_ host: Span<UInt8>) -> HostLabel {
        let hyphen = UInt8(ascii: "-")
        var dashes = 1
        while dashes < host.count, host[dashes] != hyphen || host[dashes - 1] != hyphen { dashes += 1 }
        guard dashes < host.count else { return .none }
        // Of a name in a script of its own (RFC 5891).
        if dashes == 3, host[0] | 0x20 == UInt8(ascii: "x"), host[1] | 0x20 == UInt8(ascii: "n") { return .none }
        let (names, text) = (names.span, text.span)
        for at in names.indices {
            let name = names[at]
            let length = name.count + 2
            // The rest has to be a host by itself.
            guard length < host.count, host[length - 2] == hyphen, host[length - 1] == hyphen,
                host[length] != UInt8(ascii: "."), host[length] != hyphen
            else { continue }
            var same = 0
            while same < name.count {
                var byte = host[same]
                if byte &- UInt8(ascii: "A") < 26 { byte |= 0x20 }
                guard byte == text[name.start + same] else { break }
                same += 1
            }
            guard same == name.count else { continue }
            return isNamed(host) ? .none : .environment(EnvironmentLabel(profile: name.profile, length: length))
        }
        return .unknown
    }

    /// Whether some route names the host as it stands.
    func isNamed(_ host: Span<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { memory in
            let (count, hash) = HostBytes.normalize(host, into: memory)
            return hosts.find(Span(_unsafeElements: UnsafeBufferPointer(rebasing: memory[..<count])), hash: hash) != nil
        }
    }
}
