import Engine
import JSON
import Platform
import Profiles
import Reactor

// Mocks, redirects and files, which are switched on and off while Shunt runs.
extension AdminHandler {
    func listMocks(_ query: Record<API.MocksOf>) throws -> Record<API.Mocks> {
        mocks(try mockProfile(query.profile), try query.device.map(knownDevice)?.name, isKept: false)
    }

    func switchMocks(_ body: Record<API.MockSwitch>, _ call: AdminCall) async throws -> Record<API.Mocks> {
        let profile = try mockProfile(body.profile)
        let device = try body.device.map(knownDevice)?.name
        let word = body.state
        guard let change = MockChange(rawValue: word) else {
            let words = MockChange.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminRefusal(400, "\"state\" is “\(word)”", advice: "Give one of \(words).")
        }
        let names = body.names
        guard (body.all ?? false) == (names == nil), change != .only || names != nil else {
            throw AdminRefusal(
                400, "it is not clear which mocks are meant", advice: "Send either “names” or “all”: true.")
        }
        let isKept = body.keep ?? false
        let what = names.map { $0.joined(separator: ", ") } ?? "all of \(profile.name)"
        func off() -> String {
            let names = proxy.mocks(of: profile, for: device).filter { !$0.isOn }.map(\.key.name)
            return names.isEmpty ? "none off" : "off: \(names.joined(separator: ", "))"
        }
        call.note.add(target: device.map { "\(profile.name), device \($0)" } ?? profile.name, before: off())
        let (_, snapshot) = try await changes.make { board in
            do throws(UnknownMock) { try board.change(change, names, of: profile, for: device) } catch {
                throw AdminRefusal.unknown(error, in: profile)
            }
        }
        call.note.add(after: off())
        if snapshot == nil || change == .reset { actions.didChangeMocks(change, what, device) }
        if isKept {
            do { try actions.keepMocks(proxy.mockSwitches) } catch {
                throw AdminRefusal(500, "the choice counts, but only until Shunt stops: \(error)")
            }
        }
        return mocks(profile, device, isKept: isKept)
    }

    private func mocks(_ profile: Profile, _ device: String?, isKept: Bool) -> Record<API.Mocks> {
        Record {
            $0.profile = profile.name
            $0.device = device
            $0.isKept = isKept
            $0.scenarios = proxy.scenarios(of: profile).map { scenario in
                Record {
                    $0.name = scenario.name
                    $0.state = scenario.state
                }
            }
            $0.mocks = proxy.mocks(of: profile, for: device).map { mock in
                Record {
                    $0.name = mock.key.name
                    $0.isOn = mock.isOn
                    $0.hits = Int(clamping: mock.hits)
                    $0.lastHit = mock.lastHit.map { Int($0) }
                    $0.responder = mock.kind
                    $0.route = .written(by: mock.route.writeMembers)
                }
            }
        }
    }

    /// The profile of that name, the active one without a name.
    private func mockProfile(_ name: String?) throws -> Profile {
        try profile(named: name ?? proxy.profiles?.active ?? "")
    }

    /// The name of the device that is meant by its name or its address.
}

extension AdminRefusal {
    fileprivate static func unknown(_ mock: UnknownMock, in profile: Profile) -> AdminRefusal {
        let names = mock.known.joined(separator: ", ")
        return AdminRefusal(
            404, "no mock of profile “\(profile.name)” is called “\(mock.name)”",
            advice: names.isEmpty ? "The profile has no mocks." : "There are: \(names).")
    }
}
