import Bytes
public import Reactor

/// A client that may have a profile of its own.
public struct Device: Sendable, Equatable {
    /// Unique among the devices; visible ASCII without spaces.
    public internal(set) var name: String
    /// The client address that it is recognised by, with port 0; nil for a device that is known by its token alone.
    public internal(set) var address: SocketAddress?
    /// Nil for a device that is known by its address alone, because it was never paired.
    public internal(set) var token: TokenDigest?
    /// Nil for a device that follows its user's choice, or the active profile.
    public internal(set) var profile: String?
    /// The user whose it is, so that it is known by its token alone; nil for a device of nobody in particular.
    public internal(set) var user: String?
    /// Seconds since 1970.
    public internal(set) var lastSeen: Int64

    public init(
        name: String, address: SocketAddress?, token: TokenDigest?, profile: String?, user: String? = nil,
        lastSeen: Int64
    ) {
        self.name = name
        self.address = address.map {
            SocketAddress(family: $0.family, bytes: $0.bytes, port: 0, scope: $0.scope)
        }
        self.token = token
        self.profile = profile
        self.user = user
        self.lastSeen = lastSeen
    }
}

/// The names of devices: short, and good on a command line without quotes.
enum DeviceName {
    static let limit = 32

    /// The machine that a `User-Agent` field names, else its first product.
    static func of(userAgent: String) -> String {
        let known = [
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "Chromebook"),
            ("Macintosh", "Mac"), ("Windows", "Windows"), ("Linux", "Linux"),
        ]
        for (mark, name) in known where contains(userAgent, mark) { return name }
        return cleaned(String(userAgent.prefix { $0 != "/" }))
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        // Fields are at most as long as a head, so that the search is short.
        text.utf8.indices.contains { text.utf8[$0...].starts(with: part.utf8) }
    }

    /// The part of a text that may be a name.
    static func cleaned(_ text: String) -> String {
        var name = ""
        for byte in text.utf8 where name.utf8.count < limit {
            if ByteSearch.isAlphanumeric(byte) || "._:".utf8.contains(byte) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else if !name.isEmpty && name.last != "-" {
                name += "-"
            }
        }
        while name.last == "-" { name.removeLast() }
        // `shunt devices forget all` means every one of them.
        return name.isEmpty || name == "all" ? "device" : name
    }

    /// The name itself, or with the first number behind it that makes it unique.
    static func unique(_ name: String, among taken: some Collection<String>) -> String {
        var candidate = name
        var number = 2
        while taken.contains(candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }
}
