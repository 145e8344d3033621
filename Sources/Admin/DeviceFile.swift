import Bytes
import Dispatch
public import Engine
import JSON
public import Platform
import Reactor

/// `.shunt/devices.json` beside a folder of profiles: paired devices stay paired when Shunt starts again.
///
/// Tokens are not in it, only their digests. It is written on a thread of its own, at each change.
public final class DeviceFile: Sendable {
    private let path: String
    private let directory: String
    private let queue = DispatchQueue(label: "devices")

    /// - Parameter profilesDirectory: absolute.
    public init(profilesDirectory: String) {
        directory = AdminFile(profilesDirectory: profilesDirectory).directory
        path = directory + "/devices.json"
    }

    /// The devices of the last run; none if the file is missing, broken, or may have been written by another user.
    public func read() -> [Device] { (value?["devices"]?.array ?? []).prefix(Devices.limit).compactMap(Self.device) }

    /// The profiles of users in the last run.
    public func readChoices() -> [String: String] { choices("users", of: "user", limit: TokenFile.limit) }

    /// The profiles of programs of this machine in the last run.
    public func readApps() -> [String: String] { choices("apps", of: "app", limit: Devices.appLimit) }

    private func choices(_ list: String, of member: String, limit: Int) -> [String: String] {
        var choices: [String: String] = [:]
        for entry in (value?[list]?.array ?? []).prefix(limit) {
            guard let name = entry[member]?.string, let profile = entry["profile"]?.string else { continue }
            choices[name] = profile
        }
        return choices
    }

    private var value: JSONValue? { AdminFile.readOwnJSON(path) }

    /// Writes the file whenever a device changes.
    ///
    /// - Parameter failed: called if writing fails.
    public func follow(_ devices: Devices, failed: @escaping @Sendable (FileFailure) -> Void) {
        devices.onChange { [queue, path, directory, weak devices] in
            guard let devices else { return }
            queue.async {
                do throws(FileFailure) {
                    try Files.makeDirectory(directory, mode: 0o700)
                    try Files.write(Self.json(devices.list, devices.choices, devices.apps), to: path, mode: 0o600)
                } catch {
                    failed(error)
                }
            }
        }
    }

    /// Returns when everything is written.
    public func finish() { queue.sync {} }

    private static func json(_ devices: [Device], _ choices: [String: String], _ apps: [String: String]) -> [UInt8] {
        let json = JSONWriter.object(.pretty) { object in
            object.objects("devices", devices) { object, device in
                object.members(["name": device.name, "address": device.address?.host])
                object.member("tokenSHA256", device.token.map { Hex.text($0.bytes) })
                object.member("profile", device.profile)
                if let user = device.user { object.member("user", user) }
                object.member("lastSeen", device.lastSeen)
            }
            for (list, member, choices) in [("users", "user", choices), ("apps", "app", apps)] where !choices.isEmpty {
                object.array(list) { array in
                    for (name, profile) in choices.sorted(by: { $0.key < $1.key }) {
                        array.object([member: name, "profile": profile])
                    }
                }
            }
        }
        return json + [UInt8(ascii: "\n")]
    }

    private static func device(_ value: JSONValue) -> Device? {
        let token = value["tokenSHA256"]?.string.flatMap { Hex.bytes($0) }.flatMap { TokenDigest(bytes: $0) }
        let address = value["address"]?.string.flatMap { SocketAddress(literal: $0, port: 0) }
        guard let name = value["name"]?.string, token != nil || address != nil else { return nil }
        return Device(
            name: name, address: address, token: token, profile: value["profile"]?.string,
            user: value["user"]?.string, lastSeen: value["lastSeen"]?.number?.int64 ?? 0)
    }
}
