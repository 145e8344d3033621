import Engine
import Store

// All requests of the admin interface, by what they are about.
extension AdminRoute {
    private static let shunt = [
        AdminRoute(API.describe, .status, responding: { _, _, _ in OpenAPI.response }),
        AdminRoute(API.health, .status, responding: { handler, _, _ in handler.health() }),
        AdminRoute(API.readiness, .status, responding: { handler, _, _ in handler.readiness() }),
        AdminRoute(API.metrics, .status, responding: { handler, _, _ in try await handler.metrics() }),
        AdminRoute(API.status, .status) { handler, _, _ in await handler.status() },
        AdminRoute(API.cluster, .status) { handler, _, _ in try await handler.showCluster() },
        AdminRoute(API.probe, .use) { handler, _, _ in ProbeReport.record(await handler.proxy.probe()) },
    ]

    private static let profiles = [
        AdminRoute(API.reload, .use, responding: { handler, _, _ in await handler.reload() }),
        AdminRoute(
            "POST", API.use.path, .use,
            [
                AdminForm(API.useDevice) { try await $0.useDevice($1, $2) },
                AdminForm(API.useApp) { try $0.useApp($1, $2) },
                AdminForm(API.useUser) { try await $0.use($1.profile, user: $1.user, $2) },
                AdminForm(API.use) { try await $0.use($1, $2) },
            ]),
        AdminRoute(API.useMine, .status) { try await $0.useMine($1, $2) },
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

    private static let devices = [
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
    ]

    private static let mocks = [
        AdminRoute(API.mocks, .status) { handler, query, _ in try handler.listMocks(query) },
        AdminRoute(API.switchMocks, .mocks) { try await $0.switchMocks($1, $2) },
        AdminRoute(API.pushes, .logs) { handler, query, _ in handler.listPushes(query) },
        AdminRoute(API.forgetPushes, .clear) { handler, _, _ in handler.forgetPushes() },
        AdminRoute(API.networks, .status) { handler, _, _ in handler.showNetworks() },
        AdminRoute(API.chooseNetwork, .network) { try await $0.chooseNetwork($1, $2) },
        AdminRoute(API.breakpoints, .logs) { handler, _, _ in try handler.listBreakpoints() },
        AdminRoute(API.addBreakpoint, .mocks, also: [.logs]) { try $0.addBreakpoint($1, $2) },
        AdminRoute(API.removeBreakpoints, .mocks, also: [.logs]) { try $0.removeBreakpoints($1, $2) },
        AdminRoute(API.held, .logs) { handler, _, _ in try handler.listHeld() },
        AdminRoute(API.showHeld, .logs) { handler, _, call in try handler.showHeld(call) },
        AdminRoute(API.continueHeld, .mocks, also: [.logs]) { try await $0.continueHeld($1, $2) },
        AdminRoute(API.respondToHeld, .mocks, also: [.logs]) { try await $0.respondToHeld($1, $2) },
        AdminRoute(API.dropHeld, .mocks, also: [.logs]) { handler, _, call in try await handler.dropHeld(call) },
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
        AdminRoute(API.makeEdit, .mocks, also: [.logs]) { try await $0.makeEdit($1, $2) },
        AdminRoute(API.makeMock, .mocks, also: [.logs]) { try await $0.makeMock($1, $2) },
    ]

    private static let traffic = [
        AdminRoute(API.unlockStore, .admin) { try await $0.unlockStore($1, $2) },
        AdminRoute(API.lockStore, .admin) { handler, _, _ in try handler.lockStore() },
        AdminRoute(API.listTraffic, .logs, responding: { handler, query, _ in try await handler.listTraffic(query) }),
        AdminRoute(API.removeTraffic, .clear) { try await $0.removeTraffic($1, $2) },
        AdminRoute(API.newestTraffic, .logs) { handler, _, _ in try await handler.newestTraffic() },
        AdminRoute(API.countTraffic, .logs, responding: { handler, query, _ in try await handler.countTraffic(query) }),
        AdminRoute(API.timeline, .logs) { handler, query, _ in try await handler.showTimeline(query) },
        AdminRoute(API.followTraffic, .logs, responding: { try await $0.followTraffic($1, $2) }),
        AdminRoute(
            API.exportTraffic, .logs, responding: { handler, query, _ in try await handler.exportTraffic(query) }),
        AdminRoute(API.operators, .status) { handler, _, _ in handler.listOperators() },
        AdminRoute(API.showExchange, .logs, responding: { try await $0.showExchange($1, $2) }),
        AdminRoute(
            API.requestBody, .logs, responding: { handler, _, call in try await handler.sendBody(call, .request) }),
        AdminRoute(
            API.responseBody, .logs, responding: { handler, _, call in try await handler.sendBody(call, .response) }),
        AdminRoute(API.requestText, .logs) { try await $0.showBody($1, $2, .request) },
        AdminRoute(API.responseText, .logs) { try await $0.showBody($1, $2, .response) },
        AdminRoute(API.changes, .logs, responding: { handler, _, call in try await handler.showChanges(call) }),
        AdminRoute(API.differences, .logs, responding: { try await $0.showDifferences($1, $2) }),
        AdminRoute(API.messageText, .logs) { try await $0.showMessage($1, $2) },
        AdminRoute(API.code, .logs) { try await $0.showCode($1, $2) },
        AdminRoute(API.sendRequest, .replay, also: [.logs]) { try await $0.sendRequest($1, $2) },
        AdminRoute(API.replay, .replay, also: [.logs]) { try await $0.replay($1, $2) },
        AdminRoute(API.sendMessage, .replay, also: [.logs]) { try await $0.sendMessage($1, $2) },
    ]

    private static let inspector = [
        AdminRoute(API.inspectorLink, .status) { handler, _, call in try handler.makeInspectorLink(call) },
        AdminRoute(
            "POST", login, .status,
            [
                AdminForm(API.logInByToken, responding: { try $0.logIn(token: $1.token, $2) }),
                AdminForm(API.logIn, responding: { try $0.logIn(code: $1.code, $2) }),
            ]),
    ]

    private static let users = [
        AdminRoute(API.attachments, .status) { handler, _, _ in handler.listAttachments() },
        AdminRoute(API.attach, .status) { try $0.attach($1, $2) },
        AdminRoute(
            API.connectAttachment, .status,
            responding: { handler, _, call in try await handler.connectAttachment(call) }),
        AdminRoute(API.tokens, .admin) { handler, _, _ in try handler.listTokens() },
        AdminRoute(API.makeToken, .admin) { try $0.makeToken($1, $2) },
        AdminRoute(API.revokeTokens, .admin) { try $0.revokeTokens($1, $2) },
        AdminRoute(API.audit, .audit) { handler, query, _ in try handler.listAudit(query) },
    ]

    package static let groups: [(name: String, routes: [AdminRoute])] = [
        ("Shunt", shunt), ("Profiles", profiles), ("Devices", devices), ("Mocks", mocks),
        ("Traffic", traffic), ("Inspector", inspector), ("Users", users),
    ]

    package static let all = groups.flatMap(\.routes)
}
