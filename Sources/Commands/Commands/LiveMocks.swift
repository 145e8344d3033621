import Admin
import Profiles

/// What is switched in the profiles of a running Shunt.
enum LiveMocks {
    /// By the profile's name; profiles that this Shunt does not have are left out.
    /// - Parameter device: the device whose requests are meant; nil means the requests of all clients.
    static func all(of library: ProfileLibrary, in running: AdminRecord, for device: String?) -> [String: LiveProfile] {
        var live: [String: LiveProfile] = [:]
        for profile in library.profiles {
            let mocks = try? AdminClient(running).ask(API.mocks) { ($0.profile, $0.device) = (profile.name, device) }
            if let mocks { live[profile.name] = state(of: profile, mocks) }
        }
        return live
    }

    static func state(of profile: Profile, _ live: Record<API.Mocks>) -> LiveProfile {
        let off = live.mocks.filter { !$0.isOn }
        let indices = profile.routes.indices.filter { index in
            let route = profile.routes[index]
            return off.contains { $0.name == route.name && $0.route.profile == route.profile }
        }
        let states = live.scenarios.map { ($0.name, $0.state) }
        return LiveProfile(off: Set(indices), states: Dictionary(states) { first, _ in first })
    }
}
