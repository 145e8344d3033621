/// What the admin interface can be asked for.
enum AdminEndpoint: CaseIterable {
    case status
    case probe
    case devices
    case use
    case reload
    case pair
    case forgetDevices
    case unlock
    case lock

    var method: String {
        switch self {
        case .status, .probe, .devices: "GET"
        case .use, .reload, .pair, .forgetDevices, .unlock, .lock: "POST"
        }
    }

    var path: String {
        switch self {
        case .status: "/v1/status"
        case .use: "/v1/use"
        case .reload: "/v1/reload"
        case .probe: "/v1/probe"
        case .devices: "/v1/devices"
        case .pair: "/v1/pair"
        case .forgetDevices: "/v1/devices/forget"
        case .unlock: "/v1/unlock"
        case .lock: "/v1/lock"
        }
    }

    /// The endpoint that a request line names.
    static func find(method: String, target: String) throws(AdminRefusal) -> AdminEndpoint {
        let path = target.prefix { $0 != "?" }
        let candidates = allCases.filter { $0.path == path }
        if let endpoint = candidates.first(where: { $0.method == method }) { return endpoint }
        guard candidates.isEmpty else {
            let allowed = candidates.map(\.method).joined(separator: ", ")
            throw AdminRefusal(
                405, "\(path) is not asked for with \(method)", advice: "Use \(allowed).", fields: [("Allow", allowed)])
        }
        let known = allCases.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
        throw AdminRefusal(404, "the admin interface has no \(path)", advice: "It has \(known).")
    }
}
