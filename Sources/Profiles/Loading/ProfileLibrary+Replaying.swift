public import Recordings

extension ProfileLibrary {
    /// The same profiles with a recording in the place of every origin, so that no connection leaves Shunt.
    ///
    /// What Shunt responds itself, as mocks and files, stays. Changes of fields and statuses are left out, since recorded
    /// responses have them.
    public func replaying(_ name: String, _ file: RecordingFile, _ use: RecordingUse) -> ProfileLibrary {
        let settings = RecordingSettings(
            name: name, index: RecordingIndex(file, RecordingRules()), miss: .error, after: .last, use: use)
        return ProfileLibrary(
            profiles: profiles.map { $0.replaying(settings) }, overrides: overrides, settings: self.settings,
            directory: directory, files: files, sealing: sealing)
    }
}

extension Profile {
    fileprivate func replaying(_ settings: RecordingSettings) -> Profile {
        Profile(
            name: name, kind: kind, description: description, file: file, levels: levels,
            routes: routes.map { $0.replaying(settings) }, ranges: ranges, trust: trust,
            trustWithoutRule: trustWithoutRule, cookieJar: cookieJar, token: nil,
            closesSockets: closesSockets, clearOnSwitch: clearOnSwitch, redaction: redaction,
            allowedHosts: allowedHosts, mustEvaluateAll: mustEvaluateAll, network: network, apps: apps)
    }
}

extension Route {
    fileprivate func replaying(_ file: RecordingSettings) -> Route {
        if case .local = responder { return self }
        var settings = settings
        var origin: OriginAddress?
        if settings.rewrite.bodies, case .origin(let address, preserveHost: false) = responder { origin = address }
        let recording = RecordingSettings(
            name: file.name, index: file.index, miss: file.miss, after: file.after, use: file.use, origin: origin)
        // Bodies are recorded as the origin sent them, heads as the client got them.
        settings.changes = settings.changes.flatMap {
            RouteChanges(request: nil, response: nil, messages: [], injection: $0.injection, bridge: $0.bridge)
        }
        (settings.isPassthrough, settings.relay) = (false, RelaySettings())
        if settings.first is RecordingSettings { settings.first = nil }
        return Route(
            settings, label: label, responder: .local(recording), at: place, offline: nil, client: client,
            trustRules: [])
    }
}
