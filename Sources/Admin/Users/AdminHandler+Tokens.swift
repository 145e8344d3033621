import Engine
import JSON
import Platform

// Tokens of users.
extension AdminHandler {
    func listTokens() throws -> Record<API.Tokens> {
        let users = try users()
        return UserToken.list(try users.file.read())
    }

    func makeToken(_ body: Record<API.TokenWish>, _ call: AdminCall) throws -> Record<API.NewToken> {
        let (user, names, seconds) = (body.user, body.may ?? [], body.seconds)
        let permissions: Set<Permission>
        switch Permission.list(names.isEmpty ? Permission.status.rawValue : names.joined(separator: ",")) {
        case .success(let found): permissions = found
        case .failure(let unknown): throw AdminRefusal(400, unknown.message, advice: unknown.advice)
        }
        if let seconds, !(1...100 * 366 * 86_400).contains(seconds) {
            throw AdminRefusal(400, "the token cannot be valid for \(seconds) s", advice: "Give a time from 1 s.")
        }
        let until = seconds.map { Int64(time(nil)) + Int64($0) }
        let made = try users().file.add(user, permissions, until: until) { token in
            call.note.add(target: "\(user) \(token.id)", after: permissions.names.joined(separator: ","))
            try writeAhead(call)
        }
        return made.token.made(made.text)
    }

    func revokeTokens(_ body: Record<API.TokenName>, _ call: AdminCall) throws -> Record<API.RevokedTokens> {
        let name = body.token
        call.note.add(target: name)
        let gone: [UserToken]
        let users = try users()
        gone = try users.file.revoke(name)
        endWhatIsOver()
        call.note.add(target: gone.map { "\($0.user) \($0.id)" }.joined(separator: ", "))
        return Record { $0.revoked = gone.map(\.id) }
    }

    private func users() throws -> Users {
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
