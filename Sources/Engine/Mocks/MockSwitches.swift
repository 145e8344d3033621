public import Profiles

/// A route that Shunt responds to itself, as it is switched: one name in the files of one profile.
public struct MockKey: Hashable, Sendable {
    /// The profile that wrote the route, which others may extend.
    public let profile: String
    public let name: String

    public init(profile: String, name: String) {
        self.profile = profile
        self.name = name
    }
}

/// Which mocks are off, for all clients and for single devices.
public struct MockSwitches: Sendable, Equatable {
    public var off: Set<MockKey> = []
    /// By device name, its own switches.
    public var devices: [String: [MockKey: Bool]] = [:]

    public init() {}

    public func isOn(_ key: MockKey, for device: String? = nil) -> Bool {
        device.flatMap { devices[$0]?[key] } ?? !off.contains(key)
    }

    mutating func set(_ key: MockKey, on isOn: Bool, for device: String?) {
        if let device {
            // A mock that is switched as for all clients has no switch of the device's own.
            let own = isOn == !off.contains(key) ? nil : isOn
            devices[device, default: [:]][key] = own
            if devices[device]?.isEmpty == true { devices[device] = nil }
        } else if isOn {
            off.remove(key)
        } else {
            off.insert(key)
        }
    }
}

extension MockSwitches {
    /// Switches mocks of a profile and of the profiles that it extends; ``MockChange/reset`` changes no switch.
    /// - Parameter names: nil for all of them.
    package mutating func apply(
        _ change: MockChange, _ names: [String]?, of profile: Profile, for device: String?
    ) throws(UnknownMock) {
        let keys = profile.routes.compactMap(\.mockKey)
        for name in names ?? [] where !keys.contains(where: { $0.name == name }) {
            throw UnknownMock(name: name, known: keys.map(\.name))
        }
        guard change != .reset else { return }
        for key in keys {
            if names?.contains(key.name) ?? true {
                set(key, on: change != .off, for: device)
            } else if change == .only {
                set(key, on: false, for: device)
            }
        }
    }
}

extension Route {
    /// nil where an origin responds.
    public var mockKey: MockKey? { settings.name.map { MockKey(profile: place.profile, name: $0) } }
}

extension MockSwitches {
    /// The routes of a profile that are on.
    func selection(of profile: Profile, for device: String? = nil) -> RouteSelection {
        // Nearly always nothing is off, and profiles may have thousands of mocks.
        if off.isEmpty, device.map({ devices[$0] == nil }) ?? true { return profile.allRoutes }
        let off = profile.routes.indices.filter { at in
            profile.routes[at].mockKey.map { !isOn($0, for: device) } ?? false
        }
        return profile.routes(without: Set(off))
    }

    var isEmpty: Bool { off.isEmpty && devices.isEmpty }
}
