public import Engine
package import JSON
public import Platform

/// `.shunt/mocks.json` beside a folder of profiles: mocks that stay off when Shunt starts anew.
public struct MockSwitchFile: Sendable {
    private let path: String
    private let directory: String

    /// - Parameter profilesDirectory: absolute.
    public init(profilesDirectory: String) {
        directory = AdminFile(profilesDirectory: profilesDirectory).directory
        path = directory + "/mocks.json"
    }

    /// What was kept last; nothing is off where the file is missing, broken or may be written by others.
    public func read() -> MockSwitches {
        var switches = MockSwitches()
        switches.add(AdminFile.readOwnJSON(path)?["mocks"])
        return switches
    }

    public func write(_ switches: MockSwitches) throws(FileFailure) {
        let json = JSONWriter.object(.pretty) { object in
            object.array("mocks", switches.write)
        }
        try Files.makeDirectory(directory, mode: 0o700)
        try Files.write(json + [UInt8(ascii: "\n")], to: path, mode: 0o600)
    }
}

extension MockSwitches {
    /// Adds what ``write(to:)`` has written; what cannot be read is left out.
    package mutating func add(_ list: JSONValue?) {
        for entry in list?.array ?? [] {
            guard let profile = entry["profile"]?.string, let name = entry["name"]?.string, let isOn = entry["on"]?.bool
            else { continue }
            let key = MockKey(profile: profile, name: name)
            if let device = entry["device"]?.string {
                devices[device, default: [:]][key] = isOn
            } else if !isOn {
                off.insert(key)
            }
        }
    }

    /// Writes an object for each mock that is switched.
    package func write(to array: inout JSONWriter) {
        for key in off.sorted(by: Self.isFirst) { Self.write(key, false, nil, to: &array) }
        for (device, keys) in devices.sorted(by: { $0.key < $1.key }) {
            for (key, isOn) in keys.sorted(by: { Self.isFirst($0.key, $1.key) }) {
                Self.write(key, isOn, device, to: &array)
            }
        }
    }

    private static func isFirst(_ left: MockKey, _ right: MockKey) -> Bool {
        (left.profile, left.name) < (right.profile, right.name)
    }

    private static func write(_ key: MockKey, _ isOn: Bool, _ device: String?, to array: inout JSONWriter) {
        array.object { object in
            object.members(["profile": key.profile, "name": key.name])
            if let device { object.member("device", device) }
            object.member("on", isOn)
        }
    }
}
