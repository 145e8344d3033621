import Engine
import JSON
import Platform
import Profiles
import Reactor

// Mocks, redirects and files, which are switched on and off while Shunt runs.
extension AdminHandler {
    private static let example = "{\"state\": \"off\", \"names\": [\"promo\"]} or {\"state\": \"off\", \"all\": true}"

    func listMocks(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        mocks(try mockProfile(call.text("profile")), try mockDevice(call.text("device")), isKept: false)
    }

    func switchMocks(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("state", "names", "all", "profile", "device", "keep")
        let profile = try mockProfile(try body.optionalText("profile", example: Self.example))
        let device = try mockDevice(try body.optionalText("device", example: Self.example))
        let word = try body.text("state", example: Self.example)
        guard let change = MockChange(rawValue: word) else {
            let words = MockChange.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminRefusal(400, "\"state\" is “\(word)”", advice: "Give one of \(words).")
        }
        let names = try body.optionalTexts("names", example: Self.example)
        guard try body.flag("all", example: Self.example) == (names == nil), change != .only || names != nil else {
            throw AdminRefusal(400, "it is not clear which mocks are meant", advice: "Send \(Self.example).")
        }
        let isKept = try body.flag("keep", example: Self.example)
        let what = names.map { $0.joined(separator: ", ") } ?? "all of \(profile.name)"
        func off() -> String {
            let names = proxy.mocks(of: profile, for: device).filter { !$0.isOn }.map(\.key.name)
            return names.isEmpty ? "none off" : "off: \(names.joined(separator: ", "))"
        }
        call.note.add(target: device.map { "\(profile.name), device \($0)" } ?? profile.name, before: off())
        let (_, snapshot) = try await changes.make { (board) throws(AdminRefusal) in
            do throws(UnknownMock) {
                try board.change(change, names, of: profile, for: device)
            } catch {
                throw .unknown(error, in: profile)
            }
        }
        call.note.add(after: off())
        if snapshot == nil || change == .reset { actions.didChangeMocks(change, what, device) }
        if isKept {
            do throws(FileFailure) {
                try actions.keepMocks(proxy.mockSwitches)
            } catch {
                throw AdminRefusal(500, "the choice counts, but only until Shunt stops: \(error)")
            }
        }
        return mocks(profile, device, isKept: isKept)
    }

    private func mocks(_ profile: Profile, _ device: String?, isKept: Bool) -> HandledResponse {
        .json(200) { object in
            object.member("profile", profile.name)
            object.member("device", device)
            object.member("kept", isKept)
            object.array("scenarios") { array in
                for scenario in proxy.scenarios(of: profile) {
                    array.object { object in
                        object.member("name", scenario.name)
                        object.member("state", scenario.state)
                    }
                }
            }
            object.array("mocks") { array in
                for mock in proxy.mocks(of: profile, for: device) {
                    array.object { object in
                        object.member("name", mock.key.name)
                        object.member("on", mock.isOn)
                        object.member("hits", mock.hits)
                        object.key("lastHit")
                        if let time = mock.lastHit { object.value(time) } else { object.null() }
                        object.member("responder", mock.kind)
                        object.object("route", mock.route.writeMembers)
                    }
                }
            }
        }
    }

    /// The profile of that name, the active one without a name.
    private func mockProfile(_ name: String?) throws(AdminRefusal) -> Profile {
        try profile(named: name ?? proxy.profiles?.active ?? "")
    }

    /// The name of the device that is meant by its name or its address.
    private func mockDevice(_ text: String?) throws(AdminRefusal) -> String? {
        guard let text else { return nil }
        let known =
            proxy.devices.device(named: text)
            ?? SocketAddress(literal: text, port: 0).flatMap(proxy.devices.device(address:))
        guard let known else { throw unknown(device: text) }
        return known.name
    }
}

extension AdminRefusal {
    fileprivate static func unknown(_ mock: UnknownMock, in profile: Profile) -> AdminRefusal {
        let names = mock.known.joined(separator: ", ")
        return AdminRefusal(
            404, "no mock of profile “\(profile.name)” is called “\(mock.name)”",
            advice: names.isEmpty ? "The profile has no mocks." : "There are: \(names).")
    }
}
