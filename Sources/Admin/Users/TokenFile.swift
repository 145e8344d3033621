import JSON
public import Platform

/// Why a token was neither made nor revoked.
public enum TokenFailure: Error, Sendable {
    case file(FileFailure)
    /// The file is there, and is not one that this user alone has written.
    case broken(path: String, reason: String)
    case name(String)
    /// There are as many as there may be.
    case tooMany(Int)
    case unknown(String)
    /// OpenSSL is out of memory.
    case noDigest

    public var message: String {
        switch self {
        case .file(let failure): "\(failure)"
        case .broken(let path, let reason): "\(path) \(reason), so that no token counts"
        case .name(let name): "“\(name)” cannot be a user's name"
        case .tooMany(let limit): "there are \(limit) tokens already"
        case .unknown(let name): "there is no token of “\(name)”"
        case .noDigest: "the token's digest cannot be calculated"
        }
    }

    public var advice: String? {
        switch self {
        case .file: nil
        case .broken: "Move it away, and make the tokens anew."
        case .name:
            "Take up to 32 lower-case letters, digits, dots and dashes, such as ada; not owner, and no token's identifier."
        case .tooMany: "Revoke those that are not used any more: `shunt token list`."
        case .unknown: "`shunt token list` lists users and identifiers."
        case .noDigest: nil
        }
    }
}

/// `.shunt/tokens.json` beside a folder of profiles: the tokens of users, without their secrets.
///
/// Commands and running Shunts change it under a lock of its own, so that no change is lost.
public struct TokenFile: Sendable {
    /// Tokens in all.
    public static let limit = 1000

    public let path: String
    private let directory: String

    /// - Parameter profilesDirectory: absolute.
    public init(profilesDirectory: String) {
        directory = AdminFile(profilesDirectory: profilesDirectory).directory
        path = directory + "/tokens.json"
    }

    /// All tokens; none where there is no file.
    public func read() throws(TokenFailure) -> [UserToken] {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let failure = FileFailure(path, "read")
            if failure.isMissing { return [] }
            throw .file(failure)
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .broken(path: path, reason: "can be read or written by others")
        }
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(path, limit: 4 << 20) } catch { throw .file(error) }
        guard let value = try? JSONReader.read(bytes, dialect: .strict), let entries = value["tokens"]?.array else {
            throw .broken(path: path, reason: "cannot be read as JSON")
        }
        let tokens = entries.compactMap { UserToken($0) }
        guard tokens.count == entries.count, Set(tokens.map(\.id)).count == tokens.count else {
            throw .broken(path: path, reason: "has an entry that is not as Shunt writes it")
        }
        return tokens
    }

    /// Makes a token.
    ///
    /// - Parameter confirm: called before the file is written; where it throws, nothing is.
    public func add<Failure: Error>(
        _ user: String, _ permissions: Set<Permission>, until: Int64?, confirm: (UserToken) throws(Failure) -> Void
    ) throws -> (token: UserToken, text: String) {
        guard UserToken.isName(user) else { throw TokenFailure.name(user) }
        return try locked {
            let now = Int64(time(nil))
            // Those whose time is over make room.
            let known = try read()
            let valid = known.filter { !$0.isOver(now: now) }
            let kept = known.count < Self.limit ? known : valid
            guard kept.count < Self.limit else { throw TokenFailure.tooMany(Self.limit) }
            guard let made = UserToken.make(for: user, permissions, created: now, until: until) else {
                throw TokenFailure.noDigest
            }
            try confirm(made.token)
            try write(kept + [made.token])
            return made
        }
    }

    /// Removes the token of this identifier, or all tokens of a user.
    public func revoke(_ name: String) throws(TokenFailure) -> [UserToken] {
        do {
            return try locked {
                let known = try read()
                let gone = known.filter { $0.id == name || $0.user == name }
                guard !gone.isEmpty else { throw TokenFailure.unknown(name) }
                try write(known.filter { !gone.contains($0) })
                return gone
            }
        } catch let failure as TokenFailure {
            throw failure
        } catch {
            throw .broken(path: path, reason: "cannot be changed: \(error)")
        }
    }

    private func write(_ tokens: [UserToken]) throws(TokenFailure) {
        let json = JSONWriter.object(.pretty) { object in
            object.objects("tokens", tokens) { $1.write(to: &$0) }
        }
        do throws(FileFailure) { try Files.write(json + [UInt8(ascii: "\n")], to: path, mode: 0o600) } catch {
            throw .file(error)
        }
    }

    private func locked<R>(_ body: () throws -> R) throws -> R {
        let lock = directory + "/tokens.lock"
        do throws(FileFailure) { try Files.makeDirectory(directory, mode: 0o700) } catch {
            throw TokenFailure.file(error)
        }
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TokenFailure.file(FileFailure(lock, "opened")) }
        // The lock goes with the descriptor.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw TokenFailure.file(FileFailure(lock, "locked")) }
        }
        return try body()
    }
}
