// Each request is one line, whose last text documents have as its description.
// swift-format-ignore-file

extension API {
    static let describe = AdminEndpoint<Nothing, Written>("describe", "GET", "/openapi.json", does: "The description of this interface, in OpenAPI 3.1.")
    static let health = AdminEndpoint<Nothing, Written>("health", "GET", "/healthz", does: "Say that the process responds, and while the keys of connections are written to a file, `warnings`. Needs no token.")
    static let readiness = AdminEndpoint<Nothing, Written>("readiness", "GET", "/readyz", does: "Say whether new requests are welcome: 503 while Shunt drains. Needs no token.")
    static let metrics = AdminEndpoint<Nothing, Written>("metrics", "GET", "/metrics", or: 404, does: "Counters for Prometheus, see [monitoring](monitoring.md). Also opened by the token of .shunt/metrics-token; 404 without `serve --metrics`.")

    package static let status = AdminEndpoint<Nothing, Status>("status", "GET", "/v1/status", does: "What runs.")
    package static let cluster = AdminEndpoint<Nothing, Cluster>("cluster", "GET", "/v1/cluster", or: 404, does: "The [cluster](cluster.md) of this node. 404 without one.")
    /// Many silent origins take long, one batch after the other.
    package static let probe = AdminEndpoint<Nothing, Probes>("probe", "GET", "/v1/probe", seconds: 300, does: "Ask every origin of every profile once. The response comes when the slowest one has responded or failed.")
    /// Thousands of routes with mocks take seconds to read on a slow machine.
    package static let reload = AdminEndpoint<Nothing, Reloaded>("reload", "POST", "/v1/reload", or: 422, seconds: 60, does: "Read the profiles again. 422 when the files have errors and the old profiles stay.")

    package static let use = AdminEndpoint<Use, Used>("use", "POST", "/v1/use", or: 404, 409, does: "Make another profile active for all clients. With `wait` the response comes when nothing responds by the old profile any more, on any node of a [cluster](cluster.md#switch). 404 for a name that no profile has.")
    package static let useDevice = AdminEndpoint<UseDevice, UsedDevice>("useDevice", "POST", "/v1/use", or: 404, 409, with: "device", does: "Set the profile of one device. 404 if it is neither the name of a device nor an address.")
    package static let useApp = AdminEndpoint<UseApp, UsedApp>("useApp", "POST", "/v1/use", or: 404, 409, with: "app", does: "Set the profile of a program of this machine.")
    package static let useUser = AdminEndpoint<UseUser, UsedUser>("useUser", "POST", "/v1/use", or: 404, 409, with: "user", does: "Set the profile of the devices of a user. Needs the permission `admin` for another user than the caller; 404 for a user without a token.")
    package static let useMine = AdminEndpoint<Choice, UsedUser>("useMine", "POST", "/v1/use/mine", or: 404, 409, does: "Set the profile of the caller's own devices. 409 for the owner's token.")

    package static let devices = AdminEndpoint<Nothing, Devices>("devices", "GET", "/v1/devices", does: "List the devices that have a profile of their own, and the choices of users.")
    package static let forgetDevices = AdminEndpoint<All, Forgotten>("forget", "POST", "/v1/devices/forget", or: 404, does: "Forget all devices.")
    package static let forgetDevice = AdminEndpoint<OneDevice, Forgotten>("forgetDevice", "POST", "/v1/devices/forget", or: 404, with: "device", does: "Forget one device.")
    package static let pair = AdminEndpoint<Choice, Pairing>("pair", "POST", "/v1/pair", or: 404, 409, does: "Make a code and links with which a device is [paired](devices.md). 409 with `--no-pages`.")
    package static let pairApp = AdminEndpoint<App, PairedApp>("pairApp", "POST", "/v1/pair", or: 404, 409, with: "app", does: "Make a device for an app of the user whose token it is.")

    package static let mocks = AdminEndpoint<MocksOf, Mocks>("mocks", "GET", "/v1/mocks", or: 404, does: "List the [mocks](mocks.md#on-and-off), redirects and files of a profile with their hits, and its scenarios.")
    package static let switchMocks = AdminEndpoint<MockSwitch, Mocks>("changeMocks", "POST", "/v1/mocks", or: 404, 500, does: "Switch mocks on or off, or (`reset`) begin their sequences and scenarios again.")
    package static let pushes = AdminEndpoint<PushesAfter, Pushes>("receivedPushes", "GET", "/v1/push/received", does: "List the notifications that [stand-ins for APNs](push.md) have accepted, the oldest first.")
    package static let forgetPushes = AdminEndpoint<Nothing, ForgottenPushes>("forgetPushes", "DELETE", "/v1/push/received", does: "Forget these notifications.")
    package static let networks = AdminEndpoint<Nothing, Networks>("showNetworks", "GET", "/v1/network", does: "What the [networks](networks.md) of clients are like: by choice, by the run and by profiles.")
    package static let chooseNetwork = AdminEndpoint<NetworkChoiceBody, Networks>("chooseNetwork", "POST", "/v1/network", or: 404, does: "Choose the network of all clients or of one device, or (`default`) take the choice back.")

    package static let sessions = AdminEndpoint<Nothing, Sessions>("sessions", "GET", "/v1/sessions", or: 409, does: "List the [sessions](sessions.md) of this Shunt.")
    package static let startSession = AdminEndpoint<SessionWish, Session>("startSession", "POST", "/v1/sessions", or: 404, 409, does: "Start a session over a profile. 409 if there are 256.")
    package static let showSession = AdminEndpoint<Nothing, Session>("showSession", "GET", "/v1/sessions/{id}", or: 404, 409, does: "Show a session. 404 if it has ended.")
    package static let endSession = AdminEndpoint<Nothing, EndedSession>("endSession", "DELETE", "/v1/sessions/{id}", or: 404, 409, does: "End a session with all that belongs to it.")
    package static let sessionRoutes = AdminEndpoint<Nothing, SessionRoutes>("sessionRoutes", "GET", "/v1/sessions/{id}/routes", or: 404, 409, does: "List the routes of a session with their hits.")
    package static let addSessionRoutes = AdminEndpoint<RoutesToAdd, SessionRoutes>("addSessionRoutes", "POST", "/v1/sessions/{id}/routes", or: 404, 409, does: "Lay one route or an array of them over those of a session. 400 with `line` and `column` if one is wrong.")
    package static let removeSessionRoutes = AdminEndpoint<SessionRouteName, SessionRoutes>("removeSessionRoutes", "DELETE", "/v1/sessions/{id}/routes", or: 404, 409, does: "Take a route of a session away, or all of them.")

    package static let addExpectations = AdminEndpoint<ExpectationsToAdd, SessionExpectations>("addExpectations", "POST", "/v1/sessions/{id}/expectations", or: 404, 409, does: "Expect something of a session's traffic: one expectation, or an array.")
    package static let removeExpectations = AdminEndpoint<Nothing, SessionExpectations>("removeExpectations", "DELETE", "/v1/sessions/{id}/expectations", or: 404, 409, does: "Expect nothing of a session's traffic any more.")
    package static let verify = AdminEndpoint<Nothing, Verification>("verify", "GET", "/v1/sessions/{id}/verify", or: 404, 409, seconds: 30, does: "Check the expectations of a session on its traffic. 409 without a store.")

    package static let breakpoints = AdminEndpoint<Nothing, Breakpoints>("breakpoints", "GET", "/v1/breakpoints", or: 409, does: "List the [breakpoints](breakpoints.md). 409 within `shunt run`, which has none.")
    package static let addBreakpoint = AdminEndpoint<BreakpointBody, Breakpoints>("addBreakpoint", "POST", "/v1/breakpoints", or: 409, does: "Hold requests or responses from now on.")
    package static let removeBreakpoints = AdminEndpoint<OneBreakpoint, Breakpoints>("removeBreakpoints", "DELETE", "/v1/breakpoints", or: 404, 409, does: "Remove a breakpoint, or all; what they hold goes on.")
    package static let held = AdminEndpoint<Nothing, HeldList>("held", "GET", "/v1/held", or: 409, does: "List the exchanges that are held.")
    package static let showHeld = AdminEndpoint<Nothing, HeldMessage>("showHeld", "GET", "/v1/held/{id}", or: 404, 409, does: "Show a held exchange, to be edited.")
    package static let continueHeld = AdminEndpoint<HeldEdit, HeldList>("continueHeld", "POST", "/v1/held/{id}/continue", or: 404, 409, does: "Let a held exchange go on, changed or as it is. 400 for what cannot be sent, 404 if it has gone on.")
    package static let respondToHeld = AdminEndpoint<HeldResponse, HeldList>("respondToHeld", "POST", "/v1/held/{id}/respond", or: 404, 409, does: "Respond to a held request in place of its route.")
    package static let dropHeld = AdminEndpoint<Nothing, HeldList>("dropHeld", "POST", "/v1/held/{id}/drop", or: 404, 409, does: "End the client's connection, or its stream of HTTP/2.")

    package static let routes = AdminEndpoint<RoutesOf, Routes>("routes", "GET", "/v1/routes", or: 404, does: "List the routes of a profile in the order in which they win, and the trust rules that switch checks off.")
    package static let explain = AdminEndpoint<Explain, Explained>("explain", "GET", "/v1/explain", or: 404, 409, does: "Which route would respond to a request, as `shunt explain --json`. Nothing is sent.")
    package static let origins = AdminEndpoint<Nothing, OriginFiles>("listOrigins", "GET", "/v1/origins", or: 409, does: "The files that the profiles of `serve --origin` would have, as `shunt init --from-running` writes them. 409 if Shunt reads its profiles from a folder.")

    package static let attachments = AdminEndpoint<Nothing, Attachments>("attachments", "GET", "/v1/attach", does: "List the [machines of users](team.md#your-machine-in-place-of-an-origin) that respond in place of origins.")
    static let connectAttachment = AdminEndpoint<Nothing, Written>("connectAttachment", "GET", "/v1/attach/{id}", or: 404, 409, 426, does: "Open a connection of an attachment, with `Upgrade: shunt-attach` over HTTP/1.1. The response is 101, and Shunt the client of HTTP/2 on the connection.")
    package static let attach = AdminEndpoint<Attach, MadeAttachment>("attach", "POST", "/v1/attach", or: 409, does: "Attach the caller's machine for a path; it then opens the connections. 409 for the owner's token, and for a second one for the same path.")

    package static let unlock = AdminEndpoint<Unlock, Unlocked>("unlock", "POST", "/v1/unlock", or: 404, 409, 507, does: "Let [production](production.md) be written to for a while. 409 for a profile that is not read-only.")
    package static let lock = AdminEndpoint<Lock, Locked>("lock", "POST", "/v1/lock", or: 404, does: "Lock production again.")
    /// A command may take half a minute.
    package static let login = AdminEndpoint<ProfileLogin, Login>("login", "POST", "/v1/login", or: 404, 409, 507, seconds: 60, does: "Fetch the [token](tokens.md) of a profile anew. 409 with the reason where that fails.")
    package static let logout = AdminEndpoint<ProfileLogout, LoggedOut>("logout", "POST", "/v1/logout", or: 404, 409, 507, does: "Forget the token of a profile, or those of all.")
    package static let programOutput = AdminEndpoint<OutputOf, ProgramOutput>("programOutput", "GET", "/v1/programs/output", or: 404, does: "List the last lines that a [server which Shunt starts](origins.md) for an origin has written.")
    package static let restartProgram = AdminEndpoint<ProgramName, Program>("restartProgram", "POST", "/v1/programs/restart", or: 404, 409, 507, does: "End a server that Shunt starts for an origin, and start it again. 409 where Shunt has not started it.")
    package static let unlockStore = AdminEndpoint<StoreUnlock, StoreUnlocked>("unlockStore", "POST", "/v1/store/unlock", or: 409, 422, 507, does: "Let all of the [sealed store](sealed.md#the-store) be read for a while. Until then lists, bodies, statistics and exports also have what is older than the part in memory. 409 if the store is not sealed, 422 if no identity opens it.")
    package static let lockStore = AdminEndpoint<Nothing, StoreLocked>("lockStore", "POST", "/v1/store/lock", or: 409, does: "Forget the identities of the sealed store.")

    package static let inspectorLink = AdminEndpoint<Nothing, InspectorLink>("inspectorLink", "POST", "/v1/inspector/link", or: 409, does: "Make a link that logs one browser in to the [inspector](inspector.md), once. 409 with `--no-inspector`.")
    static let logIn = AdminEndpoint<LoginCode, LoggedIn>("inspectorLogin", "POST", "/v1/inspector/login", or: 409, does: "Use a link's code up: sets a cookie and returns the key that the page sends with it. Needs no `Authorization`; 401 for a code that was used or is too old.")
    static let logInByToken = AdminEndpoint<LoginToken, LoggedIn>("inspectorLoginByToken", "POST", "/v1/inspector/login", or: 409, with: "token", does: "Show a token instead of a code.")

    package static let tokens = AdminEndpoint<Nothing, Tokens>("tokens", "GET", "/v1/tokens", or: 409, 500, does: "List the tokens of [users](team.md), without their secrets.")
    package static let makeToken = AdminEndpoint<TokenWish, NewToken>("makeToken", "POST", "/v1/tokens", or: 404, 409, 500, 507, does: "Make a token, which no later response repeats.")
    package static let revokeTokens = AdminEndpoint<TokenName, RevokedTokens>("revokeTokens", "POST", "/v1/tokens/revoke", or: 404, 409, 500, does: "Revoke a token, or all of a user.")
    package static let audit = AdminEndpoint<AuditOf, AuditTrail>("audit", "GET", "/v1/audit", or: 409, 500, does: "[Who has changed what](team.md#who-did-that), and what was refused: the newest entries, the oldest of them first.")

    package static let newestTraffic = AdminEndpoint<Nothing, NewestTraffic>("newestTraffic", "GET", "/v1/traffic/newest", or: 409, seconds: 12, does: "The number of the newest exchange. What clients have received before the request is in the store then.")
    static let listTraffic = AdminEndpoint<TrafficPage, Written>("listTraffic", "GET", "/v1/traffic", or: 409, does: "List exchanges as in the [log](log.md#json-lines), a page at a time. Each has `answered_by` (`origin`, `mock` or `shunt`) and `response_type` (media type), too; `next` is the `cursor` of the next page, or null.")
    static let countTraffic = AdminEndpoint<TrafficGroups, Written>("countTraffic", "GET", "/v1/traffic/stats", or: 409, does: "Count exchanges in groups, as [`shunt stats --json`](traffic.md#count).")
    static let followTraffic = AdminEndpoint<TrafficEventsOf, Written>("followTraffic", "GET", "/v1/traffic/events", or: 409, does: "Exchanges as they pass, as server-sent [events](admin.md#events).")
    static let exportTraffic = AdminEndpoint<TrafficExport, Written>("exportTraffic", "GET", "/v1/traffic/export", or: 409, does: "All of many exchanges in a file, as [`shunt export`](export.md) writes it.")
    static let showExchange = AdminEndpoint<ExchangeOf, Written>("showExchange", "GET", "/v1/traffic/{id}", or: 404, 409, does: "All of one exchange, as [`shunt show --json`](traffic.md#look-into-one). Messages of a WebSocket or an event stream come at most 1000 at once: `messages_last` is the number of the last one, `messages_more` says whether others follow.")
    static let requestBody = AdminEndpoint<Nothing, Written>("requestBody", "GET", "/v1/traffic/{id}/request/body", or: 404, 409, does: "The recorded bytes of a request's body, with the recorded media type.")
    static let responseBody = AdminEndpoint<Nothing, Written>("responseBody", "GET", "/v1/traffic/{id}/response/body", or: 404, 409, does: "The recorded bytes of a response's body, with the recorded media type.")
    static let changes = AdminEndpoint<Nothing, Written>("showChanges", "GET", "/v1/traffic/{id}/changes", or: 404, 409, does: "What Shunt changed in heads, with the reasons, and in bodies. `request` and `response` are an array for each line of a head: its sign, its text, and the rule that changed it, or null; `request_body` and `response_body` are the same for bodies, null for one that was not changed.")
    static let differences = AdminEndpoint<DifferencesTo, Written>("showDifferences", "GET", "/v1/traffic/{id}/differences", or: 404, 409, does: "What differs between two exchanges. `request_fields`, `request_body`, `response_fields` and `response_body` are an array for each line: its sign, its text, and null; they are empty where nothing differs, and null where neither exchange has that part.")
    static let messageText = AdminEndpoint<MessageTextOf, BodyText>("messageText", "GET", "/v1/traffic/{id}/messages/text", or: 404, 409, does: "A page of a message of a stream, as lines for people.")
    static let timeline = AdminEndpoint<TimelineOf, Timeline>("showTimeline", "GET", "/v1/traffic/timeline", or: 409, does: "How many exchanges began when. The steps are as long as their number asks.")
    static let removeTraffic = AdminEndpoint<TrafficOf, RemovedTraffic>("removeTraffic", "DELETE", "/v1/traffic", or: 409, 507, does: "Remove exchanges, without a filter all that have ended. The space is given back to the disk.")
    static let operators = AdminEndpoint<Nothing, Operators>("operators", "GET", "/v1/operators", does: "The words of the [filter language](traffic.md#find-something).")
    static let requestText = AdminEndpoint<BodyTextOf, BodyText>("requestText", "GET", "/v1/traffic/{id}/request/text", or: 404, 409, does: "A page of the body of a request by its type, as lines for people, as `shunt show` prints it, or in hexadecimal.")
    static let responseText = AdminEndpoint<BodyTextOf, BodyText>("responseText", "GET", "/v1/traffic/{id}/response/text", or: 404, 409, does: "A page of the body of a response by its type, as lines for people, as `shunt show` prints it, or in hexadecimal.")
    static let code = AdminEndpoint<CodeOf, Code>("showCode", "GET", "/v1/traffic/{id}/code", or: 404, 409, does: "The request as code, with variables for secrets that were not recorded. 409 for a body of more than 512 KiB.")
    static let sendRequest = AdminEndpoint<NewRequest, Sent>("sendRequest", "POST", "/v1/requests", or: 404, 409, 502, does: "Send a request through Shunt, like any client's, so that guards apply and it is recorded.")
    static let replay = AdminEndpoint<Replay, Replays>("replay", "POST", "/v1/traffic/{id}/replay", or: 404, 409, 502, does: "Send the request again, and compare the response with the recorded one. What is given takes the place of what was recorded.")
    package static let sendMessage = AdminEndpoint<NewMessage, MessageSent>("sendMessage", "POST", "/v1/traffic/{id}/messages", or: 404, 409, does: "Send a message into an open WebSocket or event stream.")
    static let makeEdit = AdminEndpoint<NewEdit, MadeEdit>("makeEdit", "POST", "/v1/traffic/{id}/edit", or: 404, 409, does: "Write a route that edits a body of JSON of the exchange into a profile, as [`shunt edit ID`](changes.md#bodies) makes it. 409 with the reason if there is nothing to be edited.")
    static let makeMock = AdminEndpoint<Choice, MadeMock>("makeMock", "POST", "/v1/traffic/{id}/mock", or: 404, 409, does: "Write a [mock](mocks.md) of the exchange into a profile, without one the only profile of kind local. 409 with the reason if the exchange cannot become a mock.")
}
