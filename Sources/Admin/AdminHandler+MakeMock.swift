import Engine
import JSON

extension AdminHandler {
    /// Writes a mock of a recorded exchange into a profile.
    func makeMock(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        let id = try call.identity()
        let name = try call.body("profile").optionalText("profile", example: "{\"profile\": \"local\"}")
        if let name { _ = try profile(named: name) }
        let actions = actions
        let written = try await desk().ask { () throws(AdminRefusal) in
            do throws(MockRefusal) { return try actions.makeMock(id, name) } catch {
                throw AdminRefusal(409, error.message, advice: error.advice)
            }
        }
        call.note.add(after: "\(written.profile) in \(written.file)")
        return .json(200) { object in
            object.member("profile", written.profile)
            object.member("file", written.file)
            object.member("bodies", written.bodies)
            object.member("secrets", written.secrets)
        }
    }
}
