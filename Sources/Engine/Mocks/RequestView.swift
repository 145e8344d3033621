import HTTP
import JSON
import Profiles

/// What a request carries, as conditions and templates see it.
struct RequestView: RequestFacts {
    private let client: Client
    private let request: Request
    private let scenarios: Scenarios?

    /// - Parameter scenarios: the states of the profile that responds.
    init(_ client: Client, _ request: Request, scenarios: Scenarios?) {
        self.client = client
        self.request = request
        self.scenarios = scenarios
    }

    func query(_ name: String) -> [String] {
        RequestValues.parameters(queryBytes, named: name)
    }

    var queryBytes: [UInt8] { request.array(request.head.query) }

    func fields(_ name: String) -> [String] {
        let bytes = request.bytes
        var values: [String] = []
        for field in request.head.fields where field.isNamed(name.utf8, in: bytes) {
            values.append(String(bytes.extracting(field.value)))
        }
        // A template would show the device's token, and cookies of jars, to the scripts of its page, from which
        // `HttpOnly` keeps them.
        guard name == "cookie" else { return values }
        return values.map { RequestValues.cookies($0, without: Self.isOwn) }
            .filter { !$0.isEmpty }
    }

    private static func isOwn(cookie name: Substring) -> Bool {
        name == DeviceToken.cookie || name == "\(SessionCookie.name)" || name.hasPrefix("shunt~")
    }

    func cookies(_ name: String) -> [String] { RequestValues.cookies(fields("cookie"), named: name) }

    var json: JSONValue? { request.lookahead.content?.json }

    func state(of scenario: String) -> String? { scenarios?.state(of: scenario) }

    var method: String { request.text(request.head.methodRange) }

    var host: String { request.text(request.namedAuthority) }

    /// The host that a port of its own stands for; else the one that the request names.
    var meantHost: String {
        client.state.hosts.meant(by: request.head, request.bytes).map {
            String(decoding: $0.authority, as: UTF8.self)
        }
            ?? host
    }

    /// The URL in front of the path, as the client names it: with the label of a session.
    var base: String {
        (client.isSecure ? "https://" : "http://") + host
            + (request.sessionLabel.map { "\(SessionLabel.path)\($0)" } ?? "")
    }

    var path: String { request.text(request.head.path) }

    var url: String { base + request.text(request.head.pathAndQuery) }

    /// A segment of the path as routes see it, its escapes undone.
    func segment(_ index: Int) -> String? {
        RequestValues.segment(index, of: request.array(request.head.path))
    }
}

/// A condition of a route with what it looks at, for another thread.
struct Question: RequestFacts, Sendable {
    let condition: RequestCondition
    private let query: [UInt8]
    private let values: [String]
    let json: JSONValue?

    init(_ condition: RequestCondition, _ view: RequestView) {
        self.condition = condition
        json = condition.needsBody ? view.json : nil
        query = view.queryBytes
        values =
            switch condition.subject {
            case .header(let name): view.fields(name)
            case .cookie: view.fields("cookie")
            default: []
            }
    }

    func query(_ name: String) -> [String] { RequestValues.parameters(query, named: name) }

    func fields(_ name: String) -> [String] { values }

    func cookies(_ name: String) -> [String] { RequestValues.cookies(values, named: name) }

    /// States are known at once, and are no question.
    func state(of scenario: String) -> String? { nil }
}
