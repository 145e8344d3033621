import Engine
import JSON

extension AdminHandler {
    /// Writes a mock of a recorded exchange into a profile.
    func makeMock(_ body: Record<API.Choice>, _ call: AdminCall) async throws(AdminRefusal) -> Record<API.MadeMock> {
        let (id, name) = (try call.identity(), body.profile)
        if let name { _ = try profile(named: name) }
        let made = actions.makeMock
        let written = try await write { () throws(RouteRefusal) in try made(id, name) }
        call.note.add(after: "\(written.profile) in \(written.file)")
        return written
    }

    /// Writes a route that edits a body of JSON, from a recorded exchange.
    func makeEdit(_ body: Record<API.NewEdit>, _ call: AdminCall) async throws(AdminRefusal) -> Record<API.MadeEdit> {
        let id = try call.identity()
        _ = try profile(named: body.profile)
        let made = actions.makeEdit
        let written = try await write { () throws(RouteRefusal) in try made(id, body) }
        call.note.add(after: "\(written.profile) in \(written.file)")
        return written
    }

    private func write<Written: Sendable>(
        _ make: @escaping @Sendable () throws(RouteRefusal) -> Written
    ) async throws(AdminRefusal) -> Written {
        try await desk().ask { () throws(AdminRefusal) in
            do throws(RouteRefusal) { return try make() } catch {
                throw AdminRefusal(409, error.message, advice: error.advice)
            }
        }
    }
}
