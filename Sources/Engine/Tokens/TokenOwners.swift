import Bytes
import HTTP
import Profiles
import Reactor
import Synchronization

/// Which profile has accepted a client's token last, so that a 401 after a switch can be explained.
///
/// Shared by all workers. A token is known by a keyed digest of its ends, and when there
/// are too many, all are forgotten.
final class TokenOwners: Sendable {
    private struct Owner {
        var profile: String
        /// The profile that has refused it since, and when it did so first.
        var refusal: (profile: String, at: Instant)?
    }

    private static let limit = 4096
    /// After the first refusal.
    private static let explained = 60 * Limits.second
    private let owners = Mutex<[Int: Owner]>([:])

    func accept(_ digest: Int, by profile: String) {
        owners.withLock { owners in
            if owners.count >= Self.limit, owners[digest] == nil { owners.removeAll() }
            owners[digest] = Owner(profile: profile)
        }
    }

    /// The profile whose token was refused by another one, for a minute.
    func refuse(_ digest: Int, by profile: String, now: Instant) -> String? {
        owners.withLock { owners in
            guard let owner = owners[digest], owner.profile != profile else { return nil }
            if let refusal = owner.refusal, refusal.profile == profile {
                return now < refusal.at.after(Self.explained) ? owner.profile : nil
            }
            owners[digest]?.refusal = (profile, now)
            return owner.profile
        }
    }
}

/// The tokens that a worker has seen accepted last, by their digests: each is told to all others once.
struct AcceptedTokens {
    private var last = [(digest: Int, profile: ObjectIdentifier?)](repeating: (0, nil), count: 64)

    /// Whether it is new that a profile accepts a token.
    mutating func note(_ digest: Int, _ profile: ObjectIdentifier) -> Bool {
        let place = digest & 63
        if last[place].digest == digest, last[place].profile == profile { return false }
        last[place] = (digest, profile)
        return true
    }

    mutating func forget(_ digest: Int) { last[digest & 63] = (0, nil) }
}

extension OriginResponse {
    /// Explains a 401 to a token: Shunt's own, or a client's that is another environment's.
    @inline(never)
    func noteToken() {
        let status = memory.response.status
        if exchange.way.token != nil {
            guard status == 401, let profile = use.token?.token.settings.profile else { return }
            return exchange.metrics.note(ofOrigin: "401 to the token of \(profile) that Shunt has put in")
        }
        guard let owner = use.owner, let field = exchange.request.head.field(.authorization) else { return }
        let value = exchange.headBytes.extracting(field.value)
        // The ends of a token tell it from others: the scheme and the header in front, random text behind.
        var hasher = Hasher()
        hasher.combine(value.count)
        value.extracting(0..<min(16, value.count)).withUnsafeBytes { hasher.combine(bytes: $0) }
        value.extracting(max(0, value.count - 48)..<value.count).withUnsafeBytes { hasher.combine(bytes: $0) }
        let (digest, state) = (hasher.finalize(), exchange.state)
        if status == 401 {
            state.acceptedTokens.forget(digest)
            guard let other = state.tokenOwners.refuse(digest, by: owner.name, now: state.core.now) else { return }
            let advice =
                switch use.token?.token.isFetched {
                case nil: "log in to \(owner.name), or give that profile a \"token\""
                case false?: "log in to \(owner.name) with the app"
                case true?: "`shunt login \(owner.name)` puts that profile's token in again"
                }
            exchange.metrics.note(
                ofOrigin: "401: the token is \(other)'s, which has accepted it last (\(advice))")
        } else if (200..<400).contains(status), state.acceptedTokens.note(digest, ObjectIdentifier(owner)) {
            state.tokenOwners.accept(digest, by: owner.name)
        }
    }
}
