import Engine
import JSON
import Platform

// Tokens of users.
extension AdminHandler {
    private static let example = "{\"user\": \"ada\", \"may\": [\"use\", \"logs\"], \"seconds\": 86400}"

    func listTokens() throws(AdminRefusal) -> HandledResponse {
        let tokens: [UserToken]
        let users = try users()
        do throws(TokenFailure) { tokens = try users.file.read() } catch { throw AdminRefusal(error) }
        return .json(200) { UserToken.writeList(tokens, to: &$0) }
    }

    func makeToken(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("user", "may", "seconds")
        let user = try body.text("user", example: Self.example)
        let names = try body.optionalTexts("may", example: Self.example) ?? []
        let seconds = try body.optionalInteger("seconds", example: Self.example)
        let permissions: Set<Permission>
        switch Permission.list(names.isEmpty ? Permission.status.rawValue : names.joined(separator: ",")) {
        case .success(let found): permissions = found
        case .failure(let unknown): throw AdminRefusal(400, unknown.message, advice: unknown.advice)
        }
        if let seconds, !(1...100 * 366 * 86_400).contains(seconds) {
            throw AdminRefusal(400, "the token cannot be valid for \(seconds) s", advice: "Give a time from 1 s.")
        }
        let until = seconds.map { Int64(time(nil)) + Int64($0) }
        do {
            let made = try users().file.add(user, permissions, until: until) { (token) throws(AdminRefusal) in
                call.note.add(target: "\(user) \(token.id)", after: permissions.names.joined(separator: ","))
                try writeAhead(call)
            }
            return .json(200) { made.token.writeMade(made.text, to: &$0) }
        } catch let refusal as AdminRefusal {
            throw refusal
        } catch let failure as TokenFailure {
            throw AdminRefusal(failure)
        } catch {
            throw AdminRefusal(500, "\(error)")
        }
    }

    func revokeTokens(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let name = try call.body("token").text("token", example: "{\"token\": \"NAME or identifier\"}")
        call.note.add(target: name)
        let gone: [UserToken]
        let users = try users()
        do throws(TokenFailure) { gone = try users.file.revoke(name) } catch { throw AdminRefusal(error) }
        endWhatIsOver()
        call.note.add(target: gone.map { "\($0.user) \($0.id)" }.joined(separator: ", "))
        return .json(200) { $0.member("revoked", gone.map(\.id)) }
    }

    private func users() throws(AdminRefusal) -> Users {
        guard let users = facts.users else { throw AdminRefusal(409, "this Shunt has no users but its owner") }
        return users
    }
}

extension AdminRefusal {
    init(_ failure: TokenFailure) {
        let status =
            switch failure {
            case .name: 400
            case .unknown: 404
            case .tooMany: 409
            case .file, .broken, .noDigest: 500
            }
        self.init(status, failure.message, advice: failure.advice)
    }
}
