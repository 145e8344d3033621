import Admin
import Engine
import Exchanges
import JSON
import Platform
import Profiles
import Store
import Synchronization
import TLS

/// This machine, which responds in place of a gateway's origin until it is told to end.
struct AttachedMachine {
    /// Seconds between two attempts, which grow.
    private static let pauses = 1...30
    /// How long requests under way may take at the end.
    private static let drainTime = Duration.seconds(30)

    let client: AdminClient
    let path: String
    let origin: OriginAddress
    /// How its certificate is judged; nil for plain HTTP.
    let trust: TrustPolicy?
    let arguments: Arguments

    private enum Event: Sendable {
        case signal
        case connected(session: Int)
        /// A connection is over, or has not come about.
        case ended(session: Int, GatewayFailure?)
        case drained
        case timeIsUp
        case retry
    }

    /// Connections to the gateway that belong together, and the proxy that serves them.
    private struct Session {
        let number: Int
        let proxy: Proxy
        let attachment: Record<API.MadeAttachment>
        let tasks: Task<Void, Never>
        var connected = 0
    }

    /// Returns the exit status.
    func run(_ signals: AsyncStream<CInt>) async throws -> CInt {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        Task { for await _ in signals { feed.yield(.signal) } }
        let log =
            arguments.has("quiet")
            ? nil : try LogWriter(descriptor: 2, format: .terminal(2, color: Terminal.wantsColor(on: 2)))
        defer { log?.finish() }
        var session: Session? = try await begin(1, key: nil, log, feed)
        var (number, pause, isEnding, hasBeenUp) = (1, Self.pauses.lowerBound, false, false)
        let key = session?.attachment.key
        for await event in events {
            switch event {
            case .signal:
                guard let current = session, !isEnding, current.connected == current.attachment.connections else {
                    // There is nothing to be finished, or no patience for it.
                    _exit(isEnding ? 130 : 0)
                }
                isEnding = true
                tell("finishing requests under way, again to end at once")
                Task {
                    await current.proxy.drain()
                    feed.yield(.drained)
                }
                Task {
                    try? await Task.sleep(for: Self.drainTime)
                    feed.yield(.timeIsUp)
                }
            case .timeIsUp: await session?.proxy.abort()
            case .drained:
                if let session { await end(session) }
                tell("detached: requests for \(path) go to the route's own origin")
                return 0
            case .connected(let which):
                guard which == session?.number else { continue }
                session?.connected += 1
                guard let session, session.connected == session.attachment.connections else { continue }
                (pause, hasBeenUp) = (Self.pauses.lowerBound, true)
                announce(session.attachment)
            case .ended(let which, let failure):
                guard let over = session, which == over.number, !isEnding else { continue }
                session = nil
                await end(over)
                let reason = failure?.reason ?? "the connection ended"
                guard hasBeenUp else {
                    throw CommandFailure(
                        "\(client.record.place) takes no connection: \(reason)", advice: failure?.advice)
                }
                tell("\(reason); requests go to the route's own origin. Connecting again in \(pause) s.")
                wait(pause, feed)
                pause = min(2 * pause, Self.pauses.upperBound)
            case .retry:
                number += 1
                do {
                    session = try await begin(number, key: key, log, feed)
                } catch {
                    guard isPassing(error) else { throw error }
                    tell("\(CommandFailure(error).message). Connecting again in \(pause) s.")
                    wait(pause, feed)
                    pause = min(2 * pause, Self.pauses.upperBound)
                }
            }
        }
        return 0
    }

    private func wait(_ seconds: Int, _ feed: AsyncStream<Event>.Continuation) {
        Task {
            try? await Task.sleep(for: .seconds(seconds))
            feed.yield(.retry)
        }
    }

    /// The gateway may respond otherwise the next time.
    private func isPassing(_ error: any Error) -> Bool {
        guard let failure = error as? AdminClientFailure else { return false }
        if case .refused(let status, _, _, _) = failure { return status >= 500 || status == 429 }
        return true
    }

    /// Attaches this machine, and opens the connections.
    private func begin(
        _ number: Int, key: String?, _ log: LogWriter?, _ feed: AsyncStream<Event>.Continuation
    ) async throws -> Session {
        let attachment = try client.ask(API.attach) {
            ($0.path, $0.to, $0.key) = (path, origin.description, key)
        }
        let door = try client.door(of: attachment.id)
        let proxy = try await start(log)
        let tasks = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<attachment.connections {
                    group.addTask {
                        var failure: GatewayFailure?
                        do throws(GatewayFailure) {
                            try await proxy.serve(door) { feed.yield(.connected(session: number)) }
                        } catch {
                            failure = error
                        }
                        feed.yield(.ended(session: number, failure))
                    }
                }
            }
        }
        return Session(number: number, proxy: proxy, attachment: attachment, tasks: tasks)
    }

    private func end(_ session: Session) async {
        await session.proxy.abort()
        await session.proxy.drain()
        await session.tasks.value
        session.proxy.stop()
    }

    /// Starts a proxy that sends every request to `origin`.
    private func start(_ log: LogWriter?) async throws -> Proxy {
        var configuration = Proxy.Configuration(addresses: [], observer: log)
        // The gateway sends PING: a connection on which nothing comes is broken.
        configuration.limits.idleTime = 3 * Attachment.silenceTime
        configuration.breakpoints = nil
        // There is no listener: the gateway alone sends requests, and it has judged their host.
        configuration.allowedHosts = [try? ClientHostPattern("*")].compactMap(\.self)
        var writer = JSONWriter()
        try writer.object { profile in
            profile.member("kind", "local")
            profile.array("routes") { routes in
                routes.object { route in
                    route.member("origin", origin.withoutPath)
                    // The gateway decides which Host the origin gets.
                    route.member("preserveHost", true)
                    // The gateway does both, by the same rules as for the route's own origin.
                    route.members(["rewrite": false, "forwarded": false])
                }
            }
            guard let trust else { return }
            profile.array("certificateAuthorities") { list in
                for file in trust.certificateAuthorities { list.value(file) }
            }
            let rule = trust.ruleText(for: origin.host, because: "a profile of this machine has it")
            try profile.object("trust") { $0.member(origin.authority, try JSONReader.read(rule)) }
        }
        let library = try ProfileLibrary.load(files: [(path: "attach.json", bytes: writer.bytes)])
        return try await Proxy.start(configuration, profiles: library, active: "attach")
    }

    private func announce(_ attachment: Record<API.MadeAttachment>) {
        guard !arguments.has("json") else { return Terminal.out(json: attachment.write) }
        Terminal.tell(
            "\(path) of \(attachment.user)'s devices, and of requests with this field, goes to \(origin):\n"
                + "Shunt-Attach: \(attachment.key)\n", arguments)
        for note in attachment.notes { tell(note) }
    }

    private func tell(_ text: String) { if !arguments.has("quiet") { Terminal.error("shunt: \(text)\n") } }
}
