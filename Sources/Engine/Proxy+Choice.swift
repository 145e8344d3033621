import Profiles
import Reactor

extension Proxy {
    /// The profile that serves a client whose request looks like this one, and what chose it; nil without profiles.
    ///
    /// The same order as ``Routing/choosePlan(_:)``, for requests that arrived elsewhere.
    public func choice(for request: HandledRequest) -> ProfileChoice? {
        guard let (library, active) = profiles else { return nil }
        let (name, source) = Self.wish(of: request, library, devices) ?? (active, .active)
        var choice = ProfileChoice(profile: name, source: source, library: library, active: active)
        let named = request.fields.filter { $0.name.lowercased() == "shunt-profile" }.map(\.value)
        if named.count > 1 {
            choice.refusal = .severalProfiles
        } else if let name = named.first, library[name] == nil {
            choice.refusal = .unknownProfile(name, library)
        }
        return choice
    }

    private static func wish(
        of request: HandledRequest, _ library: ProfileLibrary, _ devices: Devices
    ) -> (String, ProfileChoice.Source)? {
        if let name = request.field("Shunt-Profile"), library[name] != nil { return (name, .header) }
        let host = ContiguousArray(request.host.utf8)
        if let label = library.environmentLabel(of: host.span) {
            return (library.profiles[label.profile].name, .hostLabel)
        }
        let view = DeviceView(devices)
        for field in request.fields where field.name.lowercased() == "cookie" {
            let value = ContiguousArray(field.value.utf8)
            guard let device = view.device(inCookie: value.span) else { continue }
            return view.profile(of: device).flatMap {
                library[$0.name] == nil ? nil : ($0.name, $0.isUsers ? .user : .token)
            }
        }
        let name = view.device(at: request.client)?.profile
        return name.flatMap { library[$0] == nil ? nil : ($0, .address) }
    }
}
