import Engine
import Store

// All requests of the admin interface.
extension AdminRoute {
    static let running = [
        AdminRoute("GET", "/openapi.json", .status) { _, _ in OpenAPI.response },
        AdminRoute("GET", "/healthz", .status) { handler, _ in handler.health() },
        AdminRoute("GET", "/readyz", .status) { handler, _ in handler.readiness() },
        AdminRoute("GET", metrics, .status) { handler, _ in try await handler.metrics() },
        AdminRoute(API.status, .status) { handler, _, _ in await handler.status() },
        AdminRoute(API.cluster, .status) { handler, _, _ in try await handler.showCluster() },
        AdminRoute(API.probe, .use) { handler, _, _ in ProbeReport.record(await handler.proxy.probe()) },
        AdminRoute(
            "POST", API.reload.path, .use,
            [AdminForm(API.reload, responding: { handler, _, _ in await handler.reload() })]),
    ]

    static let environment = [
        AdminRoute(
            "POST", API.use.path, .use,
            [
                AdminForm(API.useDevice) { try await $0.useDevice($1, $2) },
                AdminForm(API.useApp) { try $0.useApp($1, $2) },
                AdminForm(API.useUser) { try await $0.use($1.profile, user: $1.user, $2) },
                AdminForm(API.use) { try await $0.use($1, $2) },
            ]),
        AdminRoute(API.useMine, .status) { try await $0.useMine($1, $2) },
        AdminRoute(API.mocks, .status) { handler, query, _ in try handler.listMocks(query) },
        AdminRoute(API.switchMocks, .mocks) { try await $0.switchMocks($1, $2) },
        AdminRoute(API.pushes, .logs) { handler, query, _ in handler.listPushes(query) },
        AdminRoute(API.forgetPushes, .clear) { handler, _, _ in handler.forgetPushes() },
        AdminRoute(API.networks, .status) { handler, _, _ in handler.showNetworks() },
        AdminRoute(API.chooseNetwork, .network) { try await $0.chooseNetwork($1, $2) },
        AdminRoute(API.routes, .status) { handler, query, _ in try handler.listRoutes(query) },
        AdminRoute(API.explain, .status) { handler, query, _ in try await handler.explain(query) },
        AdminRoute(API.origins, .status) { handler, _, _ in try handler.listOrigins() },
        AdminRoute(API.unlock, .unlock) { try await $0.unlock($1, $2) },
        AdminRoute(API.lock, .unlock) { try await $0.lock($1, $2) },
        AdminRoute(API.login, .use) { try await $0.logIn($1, $2) },
        AdminRoute(API.logout, .use) { try $0.logOut($1, $2) },
        AdminRoute(API.programOutput, .logs) { handler, query, _ in try handler.listOutput(query) },
        AdminRoute(API.restartProgram, .use) { try await $0.restartProgram($1, $2) },
    ]

    static let holds = [
        AdminRoute(API.breakpoints, .logs) { handler, _, _ in try handler.listBreakpoints() },
        AdminRoute(API.addBreakpoint, .mocks, also: [.logs]) { try $0.addBreakpoint($1, $2) },
        AdminRoute(API.removeBreakpoints, .mocks, also: [.logs]) { try $0.removeBreakpoints($1, $2) },
        AdminRoute(API.held, .logs) { handler, _, _ in try handler.listHeld() },
        AdminRoute(API.showHeld, .logs) { handler, _, call in try handler.showHeld(call) },
        AdminRoute(API.continueHeld, .mocks, also: [.logs]) { try await $0.continueHeld($1, $2) },
        AdminRoute(API.respondToHeld, .mocks, also: [.logs]) { try await $0.respondToHeld($1, $2) },
        AdminRoute(API.dropHeld, .mocks, also: [.logs]) { handler, _, call in try await handler.dropHeld(call) },
    ]

    static let sessions = [
        AdminRoute(API.sessions, .status) { handler, _, _ in handler.listSessions() },
        AdminRoute(API.startSession, .use) { try await $0.startSession($1, $2) },
        AdminRoute(API.showSession, .status) { handler, _, call in try handler.showSession(call) },
        AdminRoute(API.endSession, .use) { handler, _, call in try await handler.endSession(call) },
        AdminRoute(API.sessionRoutes, .status) { handler, _, call in try handler.listSessionRoutes(call) },
        AdminRoute(
            "POST", API.addSessionRoutes.path, .mocks,
            [AdminForm(reading: API.addSessionRoutes) { handler, call in try handler.addSessionRoutes(call) }]),
        AdminRoute(API.removeSessionRoutes, .mocks) { try $0.removeSessionRoutes($1, $2) },
        AdminRoute(
            "POST", API.addExpectations.path, .mocks,
            [AdminForm(reading: API.addExpectations) { handler, call in try handler.addExpectations(call) }]),
        AdminRoute(API.removeExpectations, .mocks) { handler, _, call in try handler.removeExpectations(call) },
        AdminRoute(API.verify, .logs) { handler, _, call in try await handler.verify(call) },
    ]

    static let people = [
        AdminRoute(API.attachments, .status) { handler, _, _ in handler.listAttachments() },
        AdminRoute(API.attach, .status) { try $0.attach($1, $2) },
        AdminRoute("GET", "/v1/attach/{id}", .status) { try await $0.connectAttachment($1) },
        AdminRoute(API.devices, .devices) { handler, _, _ in handler.listDevices() },
        AdminRoute(
            "POST", API.forgetDevice.path, .devices,
            [
                AdminForm(API.forgetDevice) { try await $0.forgetDevices($1.device, $2) },
                AdminForm(API.forgetDevices) { try await $0.forgetAllDevices($1, $2) },
            ]),
        AdminRoute(
            "POST", API.pair.path, .devices,
            [
                AdminForm(API.pairApp) { try await $0.pairApp($1, $2) },
                AdminForm(API.pair) { try $0.pair($1, $2) },
            ]),
        AdminRoute(API.unlockStore, .admin) { try await $0.unlockStore($1, $2) },
        AdminRoute(API.lockStore, .admin) { handler, _, _ in try handler.lockStore() },
        AdminRoute(API.inspectorLink, .status) { handler, _, call in try handler.makeInspectorLink(call) },
        AdminRoute(
            "POST", login, .status,
            [
                AdminForm(API.logInByToken, responding: { try $0.logIn(token: $1.token, $2) }),
                AdminForm(API.logIn, responding: { try $0.logIn(code: $1.code, $2) }),
            ]),
        AdminRoute(API.tokens, .admin) { handler, _, _ in try handler.listTokens() },
        AdminRoute(API.makeToken, .admin) { try $0.makeToken($1, $2) },
        AdminRoute(API.revokeTokens, .admin) { try $0.revokeTokens($1, $2) },
        AdminRoute(API.audit, .audit) { handler, query, _ in try handler.listAudit(query) },
    ]

    static let traffic = [
        AdminRoute("GET", "/v1/traffic", .logs, query: ["filter", "limit", "order", "cursor"]) {
            try await $0.listTraffic($1)
        },
        AdminRoute(API.removeTraffic, .clear) { handler, _, call in try await handler.removeTraffic(call) },
        AdminRoute(API.newestTraffic, .logs) { handler, _, _ in try await handler.newestTraffic() },
        AdminRoute("GET", "/v1/traffic/stats", .logs, query: ["filter", "by", "limit"]) {
            try await $0.countTraffic($1)
        },
        AdminRoute(API.timeline, .logs) { handler, _, call in try await handler.showTimeline(call) },
        AdminRoute("GET", "/v1/traffic/events", .logs, query: ["filter", "form"]) { try await $0.followTraffic($1) },
        AdminRoute("GET", "/v1/traffic/export", .logs, query: ["filter", "format"]) { try await $0.exportTraffic($1) },
        AdminRoute(API.operators, .status) { handler, _, _ in handler.listOperators() },
        AdminRoute("GET", "/v1/traffic/{id}", .logs, query: ["after", "bodies"]) { try await $0.showExchange($1) },
        AdminRoute("GET", "/v1/traffic/{id}/request/body", .logs) { try await $0.sendBody($1, .request) },
        AdminRoute("GET", "/v1/traffic/{id}/response/body", .logs) { try await $0.sendBody($1, .response) },
        AdminRoute(API.requestText, .logs) { handler, _, call in try await handler.showBody(call, .request) },
        AdminRoute(API.responseText, .logs) { handler, _, call in try await handler.showBody(call, .response) },
        AdminRoute("GET", "/v1/traffic/{id}/changes", .logs) { try await $0.showChanges($1) },
        AdminRoute(API.code, .logs) { handler, _, call in try await handler.showCode(call) },
        AdminRoute(API.sendRequest, .replay, also: [.logs]) { try await $0.sendRequest($1, $2) },
        AdminRoute(API.replay, .replay, also: [.logs]) { try await $0.replay($1, $2) },
        AdminRoute(API.sendMessage, .replay, also: [.logs]) { try await $0.sendMessage($1, $2) },
        AdminRoute(API.makeEdit, .mocks, also: [.logs]) { try await $0.makeEdit($1, $2) },
        AdminRoute(API.makeMock, .mocks, also: [.logs]) { try await $0.makeMock($1, $2) },
    ]
}
