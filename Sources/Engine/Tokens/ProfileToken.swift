import Profiles
import Reactor
import Redaction
import Synchronization

/// The token of a profile and its renewal: one fetch at a time, however many requests wait for it.
///
/// Shared by all threads.
final class ProfileToken: Sendable {
    /// What a request does next.
    enum Step {
        case use(FetchedToken)
        /// The same, and the caller has to begin a fetch, which nothing waits for.
        case useAndRenew(FetchedToken)
        /// The caller has to begin a fetch.
        case fetch
        case wait(Errand<Bool>)
        case failed(TokenTrouble)
        /// Nothing is put in: the client's own passes.
        case none
    }

    private struct State {
        var token: FetchedToken?
        var isLoggedOut = false
        var fetching: Errand<Bool>?
        var trouble: (what: TokenTrouble, until: Instant)?
        var pause: UInt64 = 0
        /// When an origin's 401 has led to a fetch for the last time.
        var refusedAt: Instant?
        /// What the server has sent in the place of the profile's refresh token.
        var refreshToken: String?
    }

    /// After a fetch that failed: the first pause, and the longest one.
    private static let firstPause = Limits.second
    private static let longestPause = 60 * Limits.second
    /// Between two fetches that an origin's 401 leads to: it may refuse for other reasons.
    private static let distance = 10 * Limits.second

    let settings: TokenSettings
    /// All that must not be written down.
    let secrets = OwnSecrets()
    private let state = Mutex(State())

    init(_ settings: TokenSettings) { self.settings = settings }

    /// Whether something can be fetched; else it is learned.
    var isFetched: Bool { if case .login = settings.source { false } else { true } }

    /// Whether a fetch after an origin's 401 may give another one: a process's variables do not change.
    private var canDiffer: Bool { if case .variable = settings.source { false } else { true } }

    func next(now: Instant) -> Step {
        state.withLock { state in
            if state.isLoggedOut { return .none }
            if let token = state.token {
                if now < token.renewal { return .use(token) }
                if now < token.end {
                    guard isFetched, state.fetching == nil, now >= state.trouble?.until ?? 0 else { return .use(token) }
                    state.fetching = Errand()
                    return .useAndRenew(token)
                }
                state.token = nil
            }
            guard isFetched else { return .none }
            if let fetching = state.fetching { return .wait(fetching) }
            if let trouble = state.trouble, now < trouble.until { return .failed(trouble.what) }
            state.fetching = Errand()
            return .fetch
        }
    }

    /// The fetch that ``next(now:)`` has asked for has come to its end.
    func finish(_ result: Result<TokenAnswer, TokenTrouble>, now: Instant) {
        let fetching = state.withLock { state in
            switch result {
            case .success(let answer):
                (state.trouble, state.pause) = (nil, 0)
                if let refreshToken = answer.refreshToken {
                    state.refreshToken = refreshToken
                    secrets.add(refreshToken)
                }
                if !state.isLoggedOut { state.token = token(answer, now: now) }
            case .failure(let what):
                state.pause = min(max(2 * state.pause, Self.firstPause), Self.longestPause)
                state.trouble = (what, now.after(state.pause))
            }
            return state.fetching.take()
        }
        fetching?.finish(true)
    }

    private func token(_ answer: TokenAnswer, now: Instant) -> FetchedToken {
        var isFile = false
        if case .file = settings.source { isFile = true }
        secrets.add(answer.token)
        return FetchedToken(answer.token, at: settings.place, now: now, lifetime: answer.lifetime, rereads: isFile)
    }

    /// An environment has sent it in the response to a login.
    func learn(_ answer: TokenAnswer, now: Instant) {
        state.withLock { state in
            state.isLoggedOut = false
            state.token = token(answer, now: now)
        }
    }

    /// An origin has responded with 401.
    ///
    /// - Returns: whether another token is worth a second attempt.
    func refuse(_ token: FetchedToken, now: Instant) -> Bool {
        state.withLock { state in
            // It was renewed meanwhile.
            guard state.token === token else { return !state.isLoggedOut && isFetched }
            guard isFetched else {
                state.token = nil
                return false
            }
            guard canDiffer, state.refusedAt.map({ now >= $0.after(Self.distance) }) ?? true else { return false }
            (state.token, state.refusedAt) = (nil, now)
            return true
        }
    }

    /// What the server has sent in the place of the profile's refresh token.
    var refreshToken: String? { state.withLock { $0.refreshToken } }

    /// Forgets the token and every trouble, so that the next request fetches another one.
    func logIn() {
        state.withLock { state in
            (state.token, state.trouble, state.pause, state.refusedAt) = (nil, nil, 0, nil)
            state.isLoggedOut = false
        }
    }

    /// Forgets the token; the client's own passes until ``logIn()``.
    ///
    /// - Returns: whether there was one.
    func logOut() -> Bool {
        state.withLock { state in
            let had = state.token != nil
            (state.token, state.trouble, state.pause, state.refreshToken) = (nil, nil, 0, nil)
            state.isLoggedOut = true
            return had
        }
    }

    func describe(now: Instant) -> TokenStatus {
        state.withLock { state in
            var status = TokenStatus(profile: settings.profile, source: settings.sourceText)
            func seconds(_ time: UInt64) -> Int { Int(clamping: time / Limits.second) }
            if let token = state.token, now < token.end {
                status.age = seconds(now - min(now, token.fetchedAt))
                status.secondsLeft = token.end == .never ? nil : seconds(token.end - now)
            }
            status.isLoggedOut = state.isLoggedOut
            status.trouble = state.trouble?.what.message
            return status
        }
    }
}

/// What a source has given.
struct TokenAnswer: Sendable {
    let token: String
    /// Seconds; nil where nothing says when it ends.
    var lifetime: Int64?
    var refreshToken: String?
}

/// Why there is no token, without anything that is secret, and the next step.
struct TokenTrouble: Error {
    let message: String
    let advice: String
}

/// The state of a profile's token, which says nothing of its text.
public struct TokenStatus: Sendable {
    public let profile: String
    /// In words.
    public let source: String
    /// Seconds since it was fetched; nil where there is none.
    public internal(set) var age: Int?
    /// Until it ends; nil where nothing says when.
    public internal(set) var secondsLeft: Int?
    public internal(set) var isLoggedOut = false
    /// Why the last fetch has failed.
    public internal(set) var trouble: String?
}

/// The tokens of a process: a reload of profiles keeps those whose settings stay.
final class ProfileTokens: Sendable {
    private let known = Mutex<[TokenSettings: ProfileToken]>([:])

    /// The token with these settings, made if there is none.
    func token(_ settings: TokenSettings) -> ProfileToken {
        known.withLock { known in
            if let there = known[settings] { return there }
            let token = ProfileToken(settings)
            known[settings] = token
            return token
        }
    }

    /// Forgets those that no profile has any more.
    func keepOnly(_ settings: Set<TokenSettings>) { known.withLock { $0 = $0.filter { settings.contains($0.key) } } }
}
