import Bytes

/// The hosts of APNs.
public enum PushHost {
    public static let production = "api.push.apple.com"
    public static let sandbox = "api.sandbox.push.apple.com"

    /// Names under which APNs is found, with all below them.
    private static let domains = ["push.apple.com", "push-apple.com.akadns.net"]
    /// 17.0.0.0/8, all of it Apple's.
    private static let appleNetwork: UInt8 = 17
    /// Networks of APNs, by the first groups of their addresses (Apple: "Use Apple products on enterprise networks").
    private static let networks: [[UInt16]] = [[0x2620, 0x149], [0x2403, 0x300], [0x2a01, 0xb740]]

    /// Whether a host delivers to the devices of users.
    ///
    /// Addresses of Apple's networks count, too: which environment is behind one cannot be told.
    /// - Parameter host: normalised.
    public static func isProduction(_ host: String) -> Bool {
        if let address = parseIPv4(host.utf8) { return address[0] == appleNetwork }
        var name = host.lowercased()
        while name.hasSuffix(".") { name.removeLast() }
        // WebPush for Safari has no sandbox, and the user's browser has asked for it.
        if name == "web.push.apple.com" { return false }
        if domains.contains(where: { name == $0 || name.hasSuffix("." + $0) }) {
            let labels = name.split { $0 == "." || $0 == "-" }
            return !labels.contains("sandbox") && !labels.contains("development")
        }
        // What begins otherwise is a name in every spelling.
        guard name.utf8.first.map({ $0 &- 0x30 < 10 }) == true || name.utf8.contains(UInt8(ascii: ":")) else {
            return false
        }
        let address = OriginEndpoint(host: name, port: 443).host
        if let groups = IPv6Address(Array(address.utf8))?.groups {
            return networks.contains { groups.starts(with: $0) }
        }
        return parseIPv4(address.utf8)?.first == appleNetwork
    }
}

extension OriginAddress {
    /// Requests to it may be delivered to the devices of users.
    public var isPushProduction: Bool { PushHost.isProduction(host) }
}
