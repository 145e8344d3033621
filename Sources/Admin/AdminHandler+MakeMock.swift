import Engine
import JSON

extension AdminHandler {
    /// Writes a mock of a recorded exchange into a profile.
    func makeMock(_ body: Record<API.Choice>, _ call: AdminCall) async throws -> Record<API.MadeMock> {
        let (id, name) = (try call.identity(), body.profile)
        if let name { _ = try profile(named: name) }
        let made = actions.makeMock
        let written = try await desk().ask { try made(id, name) }
        call.note.add(after: "\(written.profile) in \(written.file)")
        return written
    }

    /// Writes a route that edits a body of JSON, from a recorded exchange.
    func makeEdit(_ body: Record<API.NewEdit>, _ call: AdminCall) async throws -> Record<API.MadeEdit> {
        let id = try call.identity()
        _ = try profile(named: body.profile)
        let made = actions.makeEdit
        let written = try await desk().ask { try made(id, body) }
        call.note.add(after: "\(written.profile) in \(written.file)")
        return written
    }
}
