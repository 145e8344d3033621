/// A request to the admin interface: what it takes, and what a response with status 200 has.
package struct AdminEndpoint<Body: Members, Reply: Members>: Sendable {
    package let method: String
    package let path: String
    /// The member of the body that distinguishes it from other requests of the same path.
    package let mark: String?
    /// Why it may be refused, beside what every request may be refused for.
    package let statuses: [Int]
    /// How long clients wait.
    package let seconds: Int

    init(_ method: String, _ path: String, or statuses: Int..., with mark: String? = nil, seconds: Int = 5) {
        self.init(method, path, statuses: statuses, with: mark, seconds: seconds)
    }

    private init(_ method: String, _ path: String, statuses: [Int], with mark: String?, seconds: Int) {
        (self.method, self.path, self.statuses) = (method, path, statuses)
        (self.mark, self.seconds) = (mark, seconds)
    }

    /// Its table is that of a body, and not that of a query.
    package var hasBody: Bool { method == "POST" }

    /// The same for the object of this identifier, which the path has in braces.
    package func of(_ id: some CustomStringConvertible) -> AdminEndpoint {
        AdminEndpoint(method, path.replacing("{id}", with: "\(id)"), statuses: statuses, with: mark, seconds: seconds)
    }
}

/// What the segment in braces of paths is.
package struct PathSegment: Sendable {
    package let prefix: String
    package let meaning: String
    /// What it looks like; nil for numbers from 1.
    package let pattern: String?
}

/// The admin interface as data: its objects, member by member, and its requests.
package enum API {
    /// No members: a request without a body, or without a query.
    package final class Nothing: Members {}

    package static let segments = [
        PathSegment(prefix: "/v1/traffic/", meaning: "The number of an exchange.", pattern: nil),
        PathSegment(prefix: "/v1/held/", meaning: "The number of a held exchange.", pattern: nil),
        PathSegment(prefix: "/v1/attach/", meaning: "The number of an attachment of the caller's.", pattern: nil),
        PathSegment(prefix: "/v1/sessions/", meaning: "The identifier of a session.", pattern: "^[0-9][0-9a-f]{15}$"),
    ]

    /// A response that is made of no table.
    package final class Written: Members {}

    static let describe = AdminEndpoint<Nothing, Written>("GET", "/openapi.json")
    static let health = AdminEndpoint<Nothing, Written>("GET", "/healthz")
    static let readiness = AdminEndpoint<Nothing, Written>("GET", "/readyz")
    static let metrics = AdminEndpoint<Nothing, Written>("GET", "/metrics", or: 404)

    package static let status = AdminEndpoint<Nothing, Status>("GET", "/v1/status")
    package static let cluster = AdminEndpoint<Nothing, Cluster>("GET", "/v1/cluster", or: 404)
    /// Many silent origins take long, one batch after the other.
    package static let probe = AdminEndpoint<Nothing, Probes>("GET", "/v1/probe", seconds: 300)
    /// Thousands of routes with mocks take seconds to read on a slow machine.
    package static let reload = AdminEndpoint<Nothing, Reloaded>("POST", "/v1/reload", or: 422, seconds: 60)

    package static let use = AdminEndpoint<Use, Used>("POST", "/v1/use", or: 404, 409)
    package static let useDevice = AdminEndpoint<UseDevice, UsedDevice>("POST", "/v1/use", or: 404, 409, with: "device")
    package static let useApp = AdminEndpoint<UseApp, UsedApp>("POST", "/v1/use", or: 404, 409, with: "app")
    package static let useUser = AdminEndpoint<UseUser, UsedUser>("POST", "/v1/use", or: 404, 409, with: "user")
    package static let useMine = AdminEndpoint<Choice, UsedUser>("POST", "/v1/use/mine", or: 404, 409)

    package static let devices = AdminEndpoint<Nothing, Devices>("GET", "/v1/devices")
    package static let forgetDevices = AdminEndpoint<All, Forgotten>("POST", "/v1/devices/forget", or: 404)
    package static let forgetDevice = AdminEndpoint<OneDevice, Forgotten>(
        "POST", "/v1/devices/forget", or: 404, with: "device")
    package static let pair = AdminEndpoint<Choice, Pairing>("POST", "/v1/pair", or: 404, 409)
    package static let pairApp = AdminEndpoint<App, PairedApp>("POST", "/v1/pair", or: 404, 409, with: "app")

    package static let mocks = AdminEndpoint<MocksOf, Mocks>("GET", "/v1/mocks", or: 404)
    package static let switchMocks = AdminEndpoint<MockSwitch, Mocks>("POST", "/v1/mocks", or: 404, 500)
    package static let pushes = AdminEndpoint<PushesAfter, Pushes>("GET", "/v1/push/received")
    package static let forgetPushes = AdminEndpoint<Nothing, ForgottenPushes>("DELETE", "/v1/push/received")
    package static let networks = AdminEndpoint<Nothing, Networks>("GET", "/v1/network")
    package static let chooseNetwork = AdminEndpoint<NetworkChoiceBody, Networks>("POST", "/v1/network", or: 404)

    package static let sessions = AdminEndpoint<Nothing, Sessions>("GET", "/v1/sessions", or: 409)
    package static let startSession = AdminEndpoint<SessionWish, Session>("POST", "/v1/sessions", or: 404, 409)
    package static let showSession = AdminEndpoint<Nothing, Session>("GET", "/v1/sessions/{id}", or: 404, 409)
    package static let endSession = AdminEndpoint<Nothing, EndedSession>("DELETE", "/v1/sessions/{id}", or: 404, 409)
    package static let sessionRoutes = AdminEndpoint<Nothing, SessionRoutes>(
        "GET", "/v1/sessions/{id}/routes", or: 404, 409)
    package static let addSessionRoutes = AdminEndpoint<RoutesToAdd, SessionRoutes>(
        "POST", "/v1/sessions/{id}/routes", or: 404, 409)
    package static let removeSessionRoutes = AdminEndpoint<SessionRouteName, SessionRoutes>(
        "DELETE", "/v1/sessions/{id}/routes", or: 404, 409)

    package static let addExpectations = AdminEndpoint<ExpectationsToAdd, SessionExpectations>(
        "POST", "/v1/sessions/{id}/expectations", or: 404, 409)
    package static let removeExpectations = AdminEndpoint<Nothing, SessionExpectations>(
        "DELETE", "/v1/sessions/{id}/expectations", or: 404, 409)
    package static let verify = AdminEndpoint<Nothing, Verification>(
        "GET", "/v1/sessions/{id}/verify", or: 404, 409, seconds: 30)

    package static let breakpoints = AdminEndpoint<Nothing, Breakpoints>("GET", "/v1/breakpoints", or: 409)
    package static let addBreakpoint = AdminEndpoint<BreakpointBody, Breakpoints>("POST", "/v1/breakpoints", or: 409)
    package static let removeBreakpoints = AdminEndpoint<OneBreakpoint, Breakpoints>(
        "DELETE", "/v1/breakpoints", or: 404, 409)
    package static let held = AdminEndpoint<Nothing, HeldList>("GET", "/v1/held", or: 409)
    package static let showHeld = AdminEndpoint<Nothing, HeldMessage>("GET", "/v1/held/{id}", or: 404, 409)
    package static let continueHeld = AdminEndpoint<HeldEdit, HeldList>("POST", "/v1/held/{id}/continue", or: 404, 409)
    package static let respondToHeld = AdminEndpoint<HeldResponse, HeldList>(
        "POST", "/v1/held/{id}/respond", or: 404, 409)
    package static let dropHeld = AdminEndpoint<Nothing, HeldList>("POST", "/v1/held/{id}/drop", or: 404, 409)

    package static let routes = AdminEndpoint<RoutesOf, Routes>("GET", "/v1/routes", or: 404)
    package static let explain = AdminEndpoint<Explain, Explained>("GET", "/v1/explain", or: 404, 409)
    package static let origins = AdminEndpoint<Nothing, OriginFiles>("GET", "/v1/origins", or: 409)

    package static let attachments = AdminEndpoint<Nothing, Attachments>("GET", "/v1/attach")
    static let connectAttachment = AdminEndpoint<Nothing, Written>("GET", "/v1/attach/{id}", or: 404, 409, 426)
    package static let attach = AdminEndpoint<Attach, MadeAttachment>("POST", "/v1/attach", or: 409)

    package static let unlock = AdminEndpoint<Unlock, Unlocked>("POST", "/v1/unlock", or: 404, 409, 507)
    package static let lock = AdminEndpoint<Lock, Locked>("POST", "/v1/lock", or: 404)
    /// A command may take half a minute.
    package static let login = AdminEndpoint<ProfileLogin, Login>("POST", "/v1/login", or: 404, 409, 507, seconds: 60)
    package static let logout = AdminEndpoint<ProfileLogout, LoggedOut>("POST", "/v1/logout", or: 404, 409, 507)
    package static let programOutput = AdminEndpoint<OutputOf, ProgramOutput>("GET", "/v1/programs/output", or: 404)
    package static let restartProgram = AdminEndpoint<ProgramName, Program>(
        "POST", "/v1/programs/restart", or: 404, 409, 507)
    package static let unlockStore = AdminEndpoint<StoreUnlock, StoreUnlocked>(
        "POST", "/v1/store/unlock", or: 409, 422, 507)
    package static let lockStore = AdminEndpoint<Nothing, StoreLocked>("POST", "/v1/store/lock", or: 409)

    package static let inspectorLink = AdminEndpoint<Nothing, InspectorLink>("POST", "/v1/inspector/link", or: 409)
    static let logIn = AdminEndpoint<LoginCode, LoggedIn>("POST", "/v1/inspector/login", or: 409)
    static let logInByToken = AdminEndpoint<LoginToken, LoggedIn>("POST", "/v1/inspector/login", or: 409, with: "token")

    package static let tokens = AdminEndpoint<Nothing, Tokens>("GET", "/v1/tokens", or: 409, 500)
    package static let makeToken = AdminEndpoint<TokenWish, NewToken>("POST", "/v1/tokens", or: 404, 409, 500, 507)
    package static let revokeTokens = AdminEndpoint<TokenName, RevokedTokens>(
        "POST", "/v1/tokens/revoke", or: 404, 409, 500)
    package static let audit = AdminEndpoint<AuditOf, AuditTrail>("GET", "/v1/audit", or: 409, 500)

    package static let newestTraffic = AdminEndpoint<Nothing, NewestTraffic>(
        "GET", "/v1/traffic/newest", or: 409, seconds: 12)
    static let listTraffic = AdminEndpoint<TrafficPage, Written>("GET", "/v1/traffic", or: 409)
    static let countTraffic = AdminEndpoint<TrafficGroups, Written>("GET", "/v1/traffic/stats", or: 409)
    static let followTraffic = AdminEndpoint<TrafficEventsOf, Written>("GET", "/v1/traffic/events", or: 409)
    static let exportTraffic = AdminEndpoint<TrafficExport, Written>("GET", "/v1/traffic/export", or: 409)
    static let showExchange = AdminEndpoint<ExchangeOf, Written>("GET", "/v1/traffic/{id}", or: 404, 409)
    static let requestBody = AdminEndpoint<Nothing, Written>("GET", "/v1/traffic/{id}/request/body", or: 404, 409)
    static let responseBody = AdminEndpoint<Nothing, Written>("GET", "/v1/traffic/{id}/response/body", or: 404, 409)
    static let changes = AdminEndpoint<Nothing, Written>("GET", "/v1/traffic/{id}/changes", or: 404, 409)
    static let differences = AdminEndpoint<DifferencesTo, Written>("GET", "/v1/traffic/{id}/differences", or: 404, 409)
    static let messageText = AdminEndpoint<MessageTextOf, BodyText>(
        "GET", "/v1/traffic/{id}/messages/text", or: 404, 409)
    static let timeline = AdminEndpoint<TimelineOf, Timeline>("GET", "/v1/traffic/timeline", or: 409)
    static let removeTraffic = AdminEndpoint<TrafficOf, RemovedTraffic>("DELETE", "/v1/traffic", or: 409, 507)
    static let operators = AdminEndpoint<Nothing, Operators>("GET", "/v1/operators")
    static let requestText = AdminEndpoint<BodyTextOf, BodyText>("GET", "/v1/traffic/{id}/request/text", or: 404, 409)
    static let responseText = AdminEndpoint<BodyTextOf, BodyText>("GET", "/v1/traffic/{id}/response/text", or: 404, 409)
    static let code = AdminEndpoint<CodeOf, Code>("GET", "/v1/traffic/{id}/code", or: 404, 409)
    static let sendRequest = AdminEndpoint<NewRequest, Sent>("POST", "/v1/requests", or: 404, 409, 502)
    static let replay = AdminEndpoint<Replay, Replays>("POST", "/v1/traffic/{id}/replay", or: 404, 409, 502)
    package static let sendMessage = AdminEndpoint<NewMessage, MessageSent>(
        "POST", "/v1/traffic/{id}/messages", or: 404, 409)
    static let makeEdit = AdminEndpoint<NewEdit, MadeEdit>("POST", "/v1/traffic/{id}/edit", or: 404, 409)
    static let makeMock = AdminEndpoint<Choice, MadeMock>("POST", "/v1/traffic/{id}/mock", or: 404, 409)
}
