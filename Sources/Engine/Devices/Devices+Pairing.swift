import Bytes
public import Reactor

/// A code that pairs one device, once.
public struct PairingCode: Sendable {
    /// 8 characters, none of which looks like another.
    public let text: String
    /// The profile that the device gets at once; with nil it follows the active one.
    public let profile: String?
    /// The user to whom the device will belong; nil for none.
    public let user: String?
    let expiry: Instant

    /// Nanoseconds.
    public static let validity: UInt64 = 600_000_000_000
}

/// Why a device was not paired.
public enum PairingFailure: Error, Sendable, Equatable {
    /// The client is neither on this machine nor in a private network.
    case foreign
    /// No such code, or its time is over.
    case wrongCode
    /// The limit of wrong codes was reached: all codes are void now.
    case allVoid
}

/// The codes that are valid now.
struct PairingCodes {
    static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)
    static let length = 8
    /// Wrong codes, altogether, that make all valid ones void.
    static let maxWrong = 5
    /// Codes at once; a new one replaces the oldest.
    static let limit = 16

    private var valid: [PairingCode] = []
    private var wrong = 0

    mutating func issue(_ profile: String?, _ user: String?, now: Instant) -> PairingCode {
        valid.removeAll { $0.expiry <= now }
        if valid.isEmpty { wrong = 0 }
        if valid.count >= Self.limit { valid.removeFirst() }
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<Self.length).map { _ in
            Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)]
        }
        let code = PairingCode(
            text: String(decoding: letters, as: UTF8.self), profile: profile, user: user,
            expiry: now.after(PairingCode.validity))
        valid.append(code)
        return code
    }

    mutating func remove(where isVoid: (PairingCode) -> Bool) { valid.removeAll(where: isVoid) }

    /// Uses a code up; takes the same time whichever of its characters are right.
    mutating func redeem(_ text: String, now: Instant) throws(PairingFailure) -> PairingCode {
        valid.removeAll { $0.expiry <= now }
        let given = Self.normalized(text)
        var found: Int?
        for (index, code) in valid.enumerated() where Array(code.text.utf8).isSameSecret(as: given) { found = index }
        if let found { return valid.remove(at: found) }
        wrong = min(wrong + 1, Self.maxWrong)
        guard wrong >= Self.maxWrong, !valid.isEmpty else { throw .wrongCode }
        valid = []
        throw .allVoid
    }

    /// It is at the end of its time as before.
    mutating func giveBack(_ code: PairingCode) {
        if valid.count < Self.limit { valid.append(code) }
    }

    /// As people type it: lower case, and with spaces or dashes.
    private static func normalized(_ text: String) -> [UInt8] {
        text.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"): nil
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            default: byte
            }
        }
    }
}

/// What a code that was used up has brought.
package struct DeviceAdmission: Sendable {
    let code: PairingCode
    /// The device's token, which is not kept.
    package let token: String

    var profile: String? { code.profile }
    var user: String? { code.user }
}

extension Devices {
    /// Makes a code that is valid for ``PairingCode/validity``.
    ///
    /// - Parameters:
    ///   - profile: what the device gets at once; with nil it follows its user's choice, or the active profile.
    ///   - user: whose the device becomes.
    public func issueCode(
        for profile: String? = nil, of user: String? = nil, now: Instant = .now()
    ) -> PairingCode {
        withCodes { $0.issue(profile, user, now: now) }
    }

    /// Voids the codes of users that are none any more.
    func keepCodes(of users: Set<String>) {
        withCodes { codes in codes.remove { $0.user.map { !users.contains($0) } ?? false } }
    }

    /// Pairs a device and returns it together with its token, which is not kept.
    ///
    /// A device on loopback is known by its token only, since all programs of this machine share that address; a device
    /// in a private network is recognised by its address, too, for apps, which do not share the browser's cookies. A
    /// user's device is known by its token only: an address passes to others.
    ///
    /// - Parameters:
    ///   - userAgent: the source of the device's name.
    ///   - old: the token that the client shows already; its device is replaced.
    public func pair(
        code: String, from address: SocketAddress, userAgent: String, replacing old: TokenDigest? = nil,
        now: Instant = .now()
    ) throws(PairingFailure) -> (device: Device, token: String) {
        let admission = try redeem(code: code, from: address, now: now)
        return (add(admission, from: address, userAgent: userAgent, replacing: old), admission.token)
    }

    /// Uses a code up; the device is there after ``add(_:from:userAgent:replacing:)``.
    package func redeem(
        code: String, from address: SocketAddress, now: Instant = .now()
    ) throws(PairingFailure) -> DeviceAdmission {
        guard address.isLoopback || address.isPrivate else { throw .foreign }
        let redeemed = withCodes { codes in
            Result { () throws(PairingFailure) in try codes.redeem(code, now: now) }
        }
        let code = try redeemed.get()
        return DeviceAdmission(code: code, token: DeviceToken.random())
    }

    /// Makes a code valid again whose device could not be added.
    package func giveBack(_ admission: DeviceAdmission) { withCodes { $0.giveBack(admission.code) } }

    /// Adds a device whose code was used up, here or at devices that are this machine's own.
    package func add(
        _ admission: DeviceAdmission, from address: SocketAddress, userAgent: String, replacing old: TokenDigest?
    ) -> Device {
        let digest = TokenDigest(of: ContiguousArray(admission.token.utf8).span)
        let replaced = old.flatMap { table.entry(token: $0)?.device.name }
        return change { state in
            if let replaced { _ = Self.take(replaced, from: &state) }
            let bound = admission.user == nil ? Self.binding(address) : nil
            // A device that was known by this address alone turns out to be this one.
            if let bound, let other = state.table.entry(address: bound)?.device, other.token == nil {
                _ = Self.take(other.name, from: &state)
            }
            let name = DeviceName.unique(DeviceName.of(userAgent: userAgent), among: state.entries.map(\.device.name))
            return Self.put(
                Device(
                    name: name, address: bound, token: digest, profile: admission.profile, user: admission.user,
                    lastSeen: DeviceTable.Entry.now),
                in: &state)
        }
    }

    /// Makes a device of a user without pairing: an app sends its token, which is not kept, in the cookie
    /// ``DeviceToken/cookie``.
    ///
    /// A device of that user with this name is replaced, so that its old token is void.
    public func add(
        _ name: String, of user: String, profile: String?
    ) -> (device: Device, token: String) {
        let token = DeviceToken.random()
        let digest = TokenDigest(of: ContiguousArray(token.utf8).span)
        let device = change { state in
            let wanted = DeviceName.cleaned(name)
            if state.table.entry(named: wanted)?.device.user == user { _ = Self.take(wanted, from: &state) }
            return Self.put(
                Device(
                    name: DeviceName.unique(wanted, among: state.entries.map(\.device.name)), address: nil,
                    token: digest, profile: profile, user: user, lastSeen: DeviceTable.Entry.now),
                in: &state)
        }
        return (device, token)
    }
}
