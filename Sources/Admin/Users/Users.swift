import Bytes
public import Platform
import Synchronization
import TLS

/// The users of a running Shunt: it looks at the file of tokens whenever one is shown, so that a token that was revoked
/// counts no more at once.
public final class Users: Sendable {
    private struct State {
        var stamp: Stamp?
        var tokens: [String: UserToken] = [:]
        var problem: String?
    }

    /// What shows that the file is another one: it is always replaced as a whole.
    private struct Stamp: Equatable {
        let inode: UInt64
        let size: Int64
        let changed: Int64
        let mode: UInt32
    }

    public let file: TokenFile
    private let state = Mutex(State())
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - profilesDirectory: absolute.
    ///   - clock: seconds since 1970.
    public init(profilesDirectory: String, clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }) {
        file = TokenFile(profilesDirectory: profilesDirectory)
        self.clock = clock
    }

    /// The token of this text; nil for one that is not known, is over, or was revoked.
    func token(_ text: some StringProtocol) -> UserToken? {
        guard let (id, secret) = UserToken.parts(text) else { return nil }
        guard let digest = sha256(ContiguousArray(secret.utf8).span) else { return nil }
        let known = current { $0[id] }
        // An identifier that is not known takes as long as one that is.
        let expected = known?.digest ?? [UInt8](repeating: 0, count: 32)
        guard digest.isSameSecret(as: expected), let known, !known.isOver(now: clock()) else { return nil }
        return known
    }

    /// The token with this identifier, while it counts.
    func token(id: String) -> UserToken? { current { $0[id] }.flatMap { $0.isOver(now: clock()) ? nil : $0 } }

    /// The names of those who have a token that counts; nil while the file cannot be read.
    func names() -> Set<String>? {
        let now = clock()
        let names = current { tokens in Set(tokens.values.filter { !$0.isOver(now: now) }.map(\.user)) }
        return problem == nil ? names : nil
    }

    /// Why no token counts; nil where the file is as it should be.
    public var problem: String? {
        current { _ in }
        return state.withLock { $0.problem }
    }

    /// Whether there is a token that counts.
    public var isEmpty: Bool { names()?.isEmpty ?? true }

    private func current<R: Sendable>(_ body: ([String: UserToken]) -> R) -> R {
        let stamp = Self.stamp(file.path)
        return state.withLock { state in
            if stamp != state.stamp || state.problem != nil {
                do throws(TokenFailure) {
                    let tokens = try file.read()
                    state.tokens = Dictionary(tokens.map { ($0.id, $0) }) { first, _ in first }
                    state.problem = nil
                } catch {
                    state.tokens = [:]
                    state.problem = error.message
                }
                state.stamp = stamp
            }
            return body(state.tokens)
        }
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            changed: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec), mode: UInt32(status.st_mode))
    }
}
