public import Profiles
public import Push

/// A mock, or another route that Shunt responds to itself, as it is now.
public struct MockState: Sendable {
    public let key: MockKey
    /// The route's key that names its kind: `mock`, `redirect` and the like.
    public let kind: String
    public let route: Route
    public let isOn: Bool
    public let hits: UInt64
    /// Seconds since 1970; nil before the first.
    public let lastHit: Int64?
}

/// What can be done with mocks.
public enum MockChange: String, Sendable, CaseIterable {
    case on, off
    /// These are on, and all others of the profile off.
    case only
    /// Sequences and collections begin anew, and without names the scenarios and rate limits of the profile, too.
    case reset
}

/// No mock of the profile has that name.
public struct UnknownMock: Error, Sendable {
    public let name: String
    public let known: [String]
}

extension Proxy {
    /// The mocks of a profile and of the profiles that it extends, for all clients or for one device.
    public func mocks(of profile: Profile, for device: String? = nil) -> [MockState] {
        let switches = mocks.switches
        return profile.routes.compactMap { route in
            guard let key = route.mockKey, case .local(let settings) = route.responder else { return nil }
            let record = mocks.record(of: key)
            return MockState(
                key: key, kind: type(of: settings).key, route: route, isOn: switches.isOn(key, for: device),
                hits: record?.hits ?? 0, lastHit: record?.lastHit)
        }
    }

    /// The scenarios of a profile with the states that they are in.
    public func scenarios(of profile: Profile) -> [(name: String, state: String)] {
        mocks.scenarios(named: profile.name)?.list ?? []
    }

    /// What stand-ins for APNs have accepted.
    public var receivedPushes: ReceivedPushes { mocks.pushes }

    /// Which mocks are off, to be kept for a later run.
    public var mockSwitches: MockSwitches { mocks.switches }

    /// Switches mocks of a profile and of the profiles that it extends, from the next request on.
    ///
    /// - Parameters:
    ///   - names: nil for all of them.
    ///   - device: the device whose requests it applies to; nil for all clients.
    public func change(
        _ change: MockChange, _ names: [String]?, of profile: Profile, for device: String? = nil
    ) throws(UnknownMock) {
        try switchMocks { (switches) throws(UnknownMock) in
            try switches.apply(change, names, of: profile, for: device)
        }
        guard change == .reset else { return }
        for key in profile.routes.compactMap(\.mockKey) where names?.contains(key.name) ?? true {
            mocks.record(of: key)?.restart()
        }
        mocks.resetCollections(of: profile.name) { key in names.map { $0.contains(key?.name ?? "") } ?? true }
        guard names == nil else { return }
        mocks.scenarios(named: profile.name)?.reset()
        mocks.resetRates(of: profile.name)
    }

    /// Switches all mocks, from the next request on.
    package func replaceMockSwitches(_ switches: MockSwitches) { switchMocks { $0 = switches } }
}
