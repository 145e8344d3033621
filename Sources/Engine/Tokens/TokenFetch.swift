import Bytes
import JSON
import Platform
import Profiles
import Reactor

/// Fetches a token in a task of its own, for all that wait for it.
final class TokenFetch: LoopTask {
    /// Bytes of what a source gives.
    static let maxLength = 64 << 10
    private static let seconds = Int(TokenUse.limit / Limits.second)

    private let use: TokenUse
    private let state: WorkerState
    private let waiter: Waiter

    init(_ use: TokenUse, _ state: WorkerState) {
        (self.use, self.state) = (use, state)
        waiter = Waiter(state.core)
    }

    private var settings: TokenSettings { use.token.settings }

    func run() async {
        waiter.note("the token of a profile")
        waiter.deadline = state.core.now.after(TokenUse.limit)
        do throws(TokenTrouble) {
            let answer = try await fetch()
            use.token.finish(.success(answer), now: state.core.now)
        } catch {
            use.token.finish(.failure(error), now: state.core.now)
        }
        waiter.retire()
    }

    private func fetch() async throws(TokenTrouble) -> TokenAnswer {
        switch settings.source {
        case .oauth(let grant): return try await OAuthRequest(settings, grant, state, waiter).run(by: use)
        case .command(let command, let directory):
            let output = await state.threads.result(on: waiter) {
                () -> Result<[UInt8], ShellCommand.Failure> in
                do throws(ShellCommand.Failure) {
                    return .success(
                        try ShellCommand.output(
                            of: command, in: directory, limit: Self.maxLength, seconds: Self.seconds))
                } catch {
                    return .failure(error)
                }
            }
            switch output {
            case .success(let bytes): return try read(bytes, "prints")
            case .failure(let failure)?: throw trouble(failure.reason, advice: "Run it in a terminal to see why")
            case nil: throw trouble("could not be run in time", advice: "Run it in a terminal to see why")
            }
        case .variable(let name):
            guard let value = getenv(name) else {
                throw trouble("is not set", advice: "Set \(name) before Shunt starts")
            }
            return try read(Array(String(cString: value).utf8), "holds")
        case .file(let path): return try read(try await secret(in: path), "holds")
        case .login: throw trouble("have not come yet", advice: "Log in with the app")
        }
    }

    /// The content of a file that its owner alone can read.
    private func secret(in path: String) async throws(TokenTrouble) -> [UInt8] {
        switch await SecretFile.read(path, waiter, state) {
        case .success(let bytes): return bytes
        case .failure(let trouble): throw self.trouble(trouble.message, advice: trouble.advice)
        }
    }

    private func read(_ bytes: [UInt8], _ verb: String) throws(TokenTrouble) -> TokenAnswer {
        do throws(TokenText.Fault) {
            return try TokenText.answer(in: bytes, path: settings.path, now: state.clock())
        } catch {
            throw trouble("\(verb) \(error.reason)", advice: "Look at what it \(verb)")
        }
    }

    private func trouble(_ reason: String, advice: String) -> TokenTrouble { settings.trouble(reason, advice: advice) }
}

extension TokenSettings {
    /// - Parameters:
    ///   - reason: a clause about the source.
    ///   - advice: without a full stop.
    func trouble(_ reason: String, advice: String) -> TokenTrouble {
        TokenTrouble(
            message: "profile \(profile) has no token: \(sourceText) \(reason)",
            advice: "\(advice); `shunt login \(profile)` then tries again at once.")
    }
}

/// A file that holds a secret.
enum SecretFile {
    /// Reads it on a thread; a trouble is a clause about the file.
    static func read(
        _ path: String, _ waiter: Waiter, _ state: WorkerState
    ) async -> Result<[UInt8], TokenTrouble> {
        let result = await state.threads.result(on: waiter) { () -> Result<[UInt8], TokenTrouble> in
            var mode: mode_t = 0
            let read = try? Files.read(path, limit: TokenFetch.maxLength) { status in
                mode = status.st_mode
                return nil
            }
            guard let read else {
                return .failure(TokenTrouble(message: "cannot be read", advice: "Write a readable file at \(path)"))
            }
            guard mode & 0o077 == 0 else {
                return .failure(
                    TokenTrouble(
                        message: "can be read by others (mode 0\(String(mode & 0o777, radix: 8)))",
                        advice: "Run `chmod 600 \(path)`"))
            }
            return .success(read)
        }
        return result ?? .failure(TokenTrouble(message: "could not be read in time", advice: "Look at its disk"))
    }
}

/// Reads what a source gives.
enum TokenText {
    /// What it is instead of a token, in words that do not repeat it.
    struct Fault: Error {
        let reason: String
    }

    /// Seconds by which clocks may differ.
    private static let leeway: Int64 = 60

    /// - Parameters:
    ///   - path: the members that lead to the token; empty where the text is the token.
    ///   - now: seconds since 1970.
    static func answer(in bytes: [UInt8], path: [String], now: Int64) throws(Fault) -> TokenAnswer {
        if path.isEmpty {
            let text = bytes.drop { ByteSearch.isSpace($0) }.reversed().drop { ByteSearch.isSpace($0) }.reversed()
            return try answer(String(decoding: text, as: UTF8.self), lifetime: nil, now: now)
        }
        guard let json = try? JSONReader.read(bytes, dialect: .strict) else { throw Fault(reason: "no valid JSON") }
        var parent = json
        for name in path.dropLast() { parent = parent[name] ?? JSONValue(kind: .null, position: json.position) }
        guard let last = path.last, let text = parent[last]?.string else {
            throw Fault(reason: "JSON without a text \"\(path.joined(separator: "."))\"")
        }
        var lifetime = parent["expires_in"]?.number?.int64
        // Some servers send it as a text.
        if lifetime == nil, let digits = parent["expires_in"]?.string {
            lifetime = UntrustedNumber(digits: digits.utf8)?.clamped(to: 0...Int64(Int32.max))
        }
        var answer = try answer(text, lifetime: lifetime, now: now)
        answer.refreshToken = parent["refresh_token"]?.string.flatMap { isPlain($0) ? $0 : nil }
        return answer
    }

    private static func answer(_ text: String, lifetime: Int64?, now: Int64) throws(Fault) -> TokenAnswer {
        guard !text.isEmpty else { throw Fault(reason: "nothing") }
        guard isPlain(text) else { throw Fault(reason: "what is no token: one word of visible ASCII was expected") }
        if let lifetime, lifetime > 0 { return TokenAnswer(token: text, lifetime: lifetime) }
        guard let expiry = expiry(of: text) else { return TokenAnswer(token: text, lifetime: nil) }
        let left = UntrustedNumber(expiry).minus(UntrustedNumber(now)).clamped(to: -Int64(Int32.max)...Int64(Int32.max))
        guard left > -leeway else { throw Fault(reason: "a token that has ended \(-left) s ago") }
        return TokenAnswer(token: text, lifetime: max(left, 1))
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 16 << 10 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The claim `exp` of a JSON Web Token (RFC 7519 4.1.4), in seconds since 1970; nil where it has none.
    private static func expiry(of text: String) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64Decoder.bytes(String(parts[1])),
            let json = try? JSONReader.read(claims, dialect: .strict)
        else { return nil }
        let number = json["exp"]?.number
        return number?.int64 ?? number?.double.flatMap { Int64(exactly: $0.rounded(.down)) }
    }
}
