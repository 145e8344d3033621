import Bytes
import HTTP
import Platform
import Profiles
import Reactor
import TLS

/// Sends a webhook in a task of its own, as the client of an exchange in memory for each attempt.
///
/// Nothing follows a redirect, and a request that is a webhook itself causes none. Confined to its worker.
final class WebhookCall: LoopTask {
    /// Marks the request.
    static let field = "shunt-webhook"
    /// The first pause before an attempt, in nanoseconds; each is twice the one before.
    private static let firstPause = Limits.second
    /// Bytes of a response that are held; the store has the others.
    private static let keptBytes = 64 << 10

    private let hook: Webhook
    private let body: [UInt8]
    /// The field line that says for which session or profile it is.
    private let choice: String
    private let delay: UInt64
    private let state: WorkerState
    private let waiter: Waiter

    /// - Parameter profile: has the mock.
    init(_ hook: Webhook, after exchange: ClientExchange, of profile: String, _ chance: MockChance, _ time: Int64?) {
        self.hook = hook
        state = exchange.state
        waiter = Waiter(state.core)
        var chance = chance
        delay = hook.delay.map { chance.number(from: $0.min, through: $0.max) } ?? 0
        if let session = exchange.request.session, session.session.profile == profile || profile.hasPrefix("session-") {
            choice = "Shunt-Session: \(session.session.id)\r\n"
        } else {
            choice = "Shunt-Profile: \(profile)\r\n"
        }
        switch hook.body {
        case .bytes(let bytes): body = bytes
        case .template(let template):
            var renderer = TemplateRenderer(exchange, turn: 0, chance, time)
            body = renderer.render(template)
        }
    }

    func run() async {
        state.webhooks.begin()
        defer {
            state.webhooks.end()
            waiter.retire()
        }
        var failure: EngineFailure?
        if state.webhooks.areTooMany {
            failure = EngineFailure(.proxy, .route, status: 503, "\(Webhooks.limit) other webhooks wait")
        } else if await !pause(for: delay) {
            return
        }
        var request =
            "\(hook.method) \(hook.target) HTTP/1.1\r\nHost: \(hook.authority)\r\n\(choice)\(Self.field): 1\r\n"
        for header in hook.headers { request += "\(header.name): \(header.value)\r\n" }
        if !body.isEmpty || hook.method != "GET" { request += "Content-Length: \(body.count)\r\n" }
        if let place = hook.secret {
            switch await key(place) {
            case .success(let key): request += "\(hook.signatureField): sha256=\(Hex.text(hmacSHA256(key, body)))\r\n"
            case .failure(let trouble):
                failure = EngineFailure(
                    .proxy, .route, status: 500, "the key of a webhook's signature, \(place), \(trouble.message)",
                    advice: "\(trouble.advice).")
            }
        }
        let bytes = Array((request + "\r\n").utf8) + body
        for attempt in 0...hook.retries {
            if attempt > 0, await !pause(for: Self.firstPause << (attempt - 1)) { return }
            guard await mustRepeat(bytes, failure) else { return }
        }
    }

    /// Waits; false where the worker ends meanwhile.
    private func pause(for time: UInt64) async -> Bool {
        waiter.deadline = state.core.clock().after(time)
        while time > 0, !waiter.isExpired {
            if state.isAborting || state.isDraining { return false }
            await waiter.park()
        }
        return !state.isAborting
    }

    private func key(_ place: TokenSettings.SecretPlace) async -> Result<[UInt8], TokenTrouble> {
        switch place {
        case .variable(let name):
            guard let value = getenv(name) else {
                return .failure(TokenTrouble(message: "is not set", advice: "Set \(name) before Shunt starts"))
            }
            return .success(Array(String(cString: value).utf8))
        case .file(let path):
            waiter.deadline = .never
            return await SecretFile.read(path, waiter, state).map { bytes in
                // Editors end a file with a line break.
                Array(bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed())
            }
        }
    }

    /// One attempt; whether it has failed in a way that may pass.
    private func mustRepeat(_ request: [UInt8], _ failure: EngineFailure?) async -> Bool {
        let channel = MemoryChannel(state.loop.buffers)
        channel.keptBytes = Self.keptBytes
        channel.receive(request)
        channel.notify(waiter)
        let exchange = ClientExchange(channel, waiter, state)
        exchange.metrics.begin(now: state.core.now)
        defer {
            exchange.release()
            channel.close()
        }
        repeat {
            guard case .bytes? = try? channel.fill(limit: .max) else { return false }
        } while (try? exchange.readHead()) != true
        await hook.send(in: exchange, failure)
        guard failure == nil, exchange.metrics.failure?.side != .client, !state.isAborting else { return false }
        let status = exchange.metrics.status ?? 0
        return exchange.metrics.failure != nil || status >= 500 || status == 408 || status == 429
    }
}

extension Webhook {
    /// Sends a webhook to the host that it names, and to no production.
    fileprivate func send(in exchange: ClientExchange, _ failure: EngineFailure?) async {
        await exchange.serve("a webhook") { (plan) throws(EngineFailure) in
            if let failure { throw failure }
            let target = ForwardTarget(host: host, port: port)
            let route = try await ForwardResponder.plan(
                for: target, isTLS: isTLS, in: plan, exchange, label: "webhook")
            if let guarded = route.guarded {
                throw EngineFailure(
                    .client, .route, status: 403,
                    "the webhook to \(url) would go to production (\(guarded.profiles.joined(separator: ", "))), to "
                        + "which none is sent", advice: "Name another URL under \"then\" of the mock.")
            }
            try await exchange.respond(by: route, nil)
        }
    }
}
