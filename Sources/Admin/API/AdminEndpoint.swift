/// A request to the admin interface: what it takes, and what a response with status 200 has.
package struct AdminEndpoint<Body: Members, Reply: Members>: Sendable {
    package let method: String
    package let path: String
    /// The member of the body that distinguishes it from other requests of the same path.
    package let mark: String?
    /// How long clients wait.
    package let seconds: Int

    init(_ method: String, _ path: String, with mark: String? = nil, seconds: Int = 5) {
        (self.method, self.path, self.mark, self.seconds) = (method, path, mark, seconds)
    }

    /// The same for the object of this identifier, which the path has in braces.
    package func of(_ id: some CustomStringConvertible) -> AdminEndpoint {
        AdminEndpoint(method, path.replacing("{id}", with: "\(id)"), with: mark, seconds: seconds)
    }
}

/// The admin interface as data: its objects, member by member, and its requests.
package enum API {
    /// No members: a request without a body, or without a query.
    package struct Nothing: Members { package init() {} }

    package static let status = AdminEndpoint<Nothing, Status>("GET", "/v1/status")
    package static let cluster = AdminEndpoint<Nothing, Cluster>("GET", "/v1/cluster")
    /// Many silent origins take long, one batch after the other.
    package static let probe = AdminEndpoint<Nothing, Probes>("GET", "/v1/probe", seconds: 300)
    /// Thousands of routes with mocks take seconds to read on a slow machine.
    package static let reload = AdminEndpoint<Nothing, Reloaded>("POST", "/v1/reload", seconds: 60)

    package static let use = AdminEndpoint<Use, Used>("POST", "/v1/use")
    package static let useDevice = AdminEndpoint<UseDevice, UsedDevice>("POST", "/v1/use", with: "device")
    package static let useApp = AdminEndpoint<UseApp, UsedApp>("POST", "/v1/use", with: "app")
    package static let useUser = AdminEndpoint<UseUser, UsedUser>("POST", "/v1/use", with: "user")
    package static let useMine = AdminEndpoint<Choice, UsedUser>("POST", "/v1/use/mine")

    package static let devices = AdminEndpoint<Nothing, Devices>("GET", "/v1/devices")
    package static let forgetDevices = AdminEndpoint<All, Forgotten>("POST", "/v1/devices/forget")
    package static let forgetDevice = AdminEndpoint<OneDevice, Forgotten>(
        "POST", "/v1/devices/forget", with: "device")
    package static let pair = AdminEndpoint<Choice, Pairing>("POST", "/v1/pair")
    package static let pairApp = AdminEndpoint<App, PairedApp>("POST", "/v1/pair", with: "app")

    package static let mocks = AdminEndpoint<MocksOf, Mocks>("GET", "/v1/mocks")
    package static let switchMocks = AdminEndpoint<MockSwitch, Mocks>("POST", "/v1/mocks")
    package static let pushes = AdminEndpoint<PushesAfter, Pushes>("GET", "/v1/push/received")
    package static let forgetPushes = AdminEndpoint<Nothing, ForgottenPushes>("DELETE", "/v1/push/received")
    package static let networks = AdminEndpoint<Nothing, Networks>("GET", "/v1/network")
    package static let chooseNetwork = AdminEndpoint<NetworkChoiceBody, Networks>("POST", "/v1/network")

    package static let sessions = AdminEndpoint<Nothing, Sessions>("GET", "/v1/sessions")
    package static let startSession = AdminEndpoint<SessionWish, Session>("POST", "/v1/sessions")
    package static let showSession = AdminEndpoint<Nothing, Session>("GET", "/v1/sessions/{id}")
    package static let endSession = AdminEndpoint<Nothing, EndedSession>("DELETE", "/v1/sessions/{id}")
    package static let sessionRoutes = AdminEndpoint<Nothing, SessionRoutes>("GET", "/v1/sessions/{id}/routes")
    package static let addSessionRoutes = AdminEndpoint<RoutesToAdd, SessionRoutes>(
        "POST", "/v1/sessions/{id}/routes")
    package static let removeSessionRoutes = AdminEndpoint<SessionRouteName, SessionRoutes>(
        "DELETE", "/v1/sessions/{id}/routes")

    package static let addExpectations = AdminEndpoint<ExpectationsToAdd, SessionExpectations>(
        "POST", "/v1/sessions/{id}/expectations")
    package static let removeExpectations = AdminEndpoint<Nothing, SessionExpectations>(
        "DELETE", "/v1/sessions/{id}/expectations")
    package static let verify = AdminEndpoint<Nothing, Verification>("GET", "/v1/sessions/{id}/verify", seconds: 30)

    package static let breakpoints = AdminEndpoint<Nothing, Breakpoints>("GET", "/v1/breakpoints")
    package static let addBreakpoint = AdminEndpoint<BreakpointBody, Breakpoints>("POST", "/v1/breakpoints")
    package static let removeBreakpoints = AdminEndpoint<OneBreakpoint, Breakpoints>("DELETE", "/v1/breakpoints")
    package static let held = AdminEndpoint<Nothing, HeldList>("GET", "/v1/held")
    package static let showHeld = AdminEndpoint<Nothing, HeldMessage>("GET", "/v1/held/{id}")
    package static let continueHeld = AdminEndpoint<HeldEdit, HeldList>("POST", "/v1/held/{id}/continue")
    package static let respondToHeld = AdminEndpoint<HeldResponse, HeldList>("POST", "/v1/held/{id}/respond")
    package static let dropHeld = AdminEndpoint<Nothing, HeldList>("POST", "/v1/held/{id}/drop")

    package static let routes = AdminEndpoint<RoutesOf, Routes>("GET", "/v1/routes")
    package static let explain = AdminEndpoint<Explain, Explained>("GET", "/v1/explain")
    package static let origins = AdminEndpoint<Nothing, OriginFiles>("GET", "/v1/origins")

    package static let attachments = AdminEndpoint<Nothing, Attachments>("GET", "/v1/attach")
    package static let attach = AdminEndpoint<Attach, MadeAttachment>("POST", "/v1/attach")

    package static let unlock = AdminEndpoint<Unlock, Unlocked>("POST", "/v1/unlock")
    package static let lock = AdminEndpoint<Lock, Locked>("POST", "/v1/lock")
    /// A command may take half a minute.
    package static let login = AdminEndpoint<ProfileLogin, Login>("POST", "/v1/login", seconds: 60)
    package static let logout = AdminEndpoint<ProfileLogout, LoggedOut>("POST", "/v1/logout")
    package static let programOutput = AdminEndpoint<OutputOf, ProgramOutput>("GET", "/v1/programs/output")
    package static let restartProgram = AdminEndpoint<ProgramName, Program>("POST", "/v1/programs/restart")
    package static let unlockStore = AdminEndpoint<StoreUnlock, StoreUnlocked>("POST", "/v1/store/unlock")
    package static let lockStore = AdminEndpoint<Nothing, StoreLocked>("POST", "/v1/store/lock")

    package static let inspectorLink = AdminEndpoint<Nothing, InspectorLink>("POST", "/v1/inspector/link")
    static let logIn = AdminEndpoint<LoginCode, LoggedIn>("POST", "/v1/inspector/login")
    static let logInByToken = AdminEndpoint<LoginToken, LoggedIn>("POST", "/v1/inspector/login", with: "token")

    package static let tokens = AdminEndpoint<Nothing, Tokens>("GET", "/v1/tokens")
    package static let makeToken = AdminEndpoint<TokenWish, NewToken>("POST", "/v1/tokens")
    package static let revokeTokens = AdminEndpoint<TokenName, RevokedTokens>("POST", "/v1/tokens/revoke")
    package static let audit = AdminEndpoint<AuditOf, AuditTrail>("GET", "/v1/audit")

    package static let newestTraffic = AdminEndpoint<Nothing, NewestTraffic>("GET", "/v1/traffic/newest", seconds: 12)
    static let timeline = AdminEndpoint<TimelineOf, Timeline>("GET", "/v1/traffic/timeline")
    static let removeTraffic = AdminEndpoint<TrafficOf, RemovedTraffic>("DELETE", "/v1/traffic")
    static let operators = AdminEndpoint<Nothing, Operators>("GET", "/v1/operators")
    static let requestText = AdminEndpoint<Nothing, BodyText>("GET", "/v1/traffic/{id}/request/text")
    static let responseText = AdminEndpoint<Nothing, BodyText>("GET", "/v1/traffic/{id}/response/text")
    static let code = AdminEndpoint<CodeOf, Code>("GET", "/v1/traffic/{id}/code")
    static let sendRequest = AdminEndpoint<NewRequest, Sent>("POST", "/v1/requests")
    static let replay = AdminEndpoint<Replay, Replays>("POST", "/v1/traffic/{id}/replay")
    package static let sendMessage = AdminEndpoint<NewMessage, MessageSent>("POST", "/v1/traffic/{id}/messages")
    static let makeEdit = AdminEndpoint<NewEdit, MadeEdit>("POST", "/v1/traffic/{id}/edit")
    static let makeMock = AdminEndpoint<Choice, MadeMock>("POST", "/v1/traffic/{id}/mock")
}
