/// What the admin interface can be asked for.
enum AdminEndpoint: CaseIterable {
    case status
    case use
    case reload

    var method: String {
        switch self {
        case .status: "GET"
        case .use, .reload: "POST"
        }
    }

    var path: String {
        switch self {
        case .status: "/v1/status"
        case .use: "/v1/use"
        case .reload: "/v1/reload"
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
