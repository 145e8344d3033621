import Engine
import JSON

extension AdminHandler {
    /// Writes a mock of a recorded exchange into a profile.
    func makeMock(_ body: Record<API.Choice>, _ call: AdminCall) async throws(AdminRefusal) -> Record<API.MadeMock> {
        let (id, name) = (try call.identity(), body.profile)
        if let name { _ = try profile(named: name) }
        let actions = actions
        let written = try await desk().ask { () throws(AdminRefusal) in
            do throws(MockRefusal) { return try actions.makeMock(id, name) } catch {
                throw AdminRefusal(409, error.message, advice: error.advice)
            }
        }
        call.note.add(after: "\(written.profile) in \(written.file)")
        return written
    }
}
