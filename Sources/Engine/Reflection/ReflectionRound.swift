import Bytes
import HTTP
import Platform
import Profiles
import Protobuf
import Reactor
import TLS

/// Asks servers for their schemas, one after the other, beside the traffic, which it shares nothing with.
///
/// Each question is a request in memory that goes through the server's route: its trust policy, its proxy, its token
/// and the guard of production count as for every request. Confined to a worker's loop.
final class ReflectionRound {
    /// Nanoseconds for one server.
    private static let limit = 10 * Limits.second
    /// Rounds of questions: each is about what the files of the one before import.
    private static let maxRounds = 20
    /// Services of one server.
    private static let maxServices = 2000
    private static let maxSize = 2 * ProtobufSchema.maxSize

    private let state: WorkerState
    private let waiter: Waiter
    private let reflections: Reflections
    private var isOver = false

    /// - Parameter traffic: the state of the worker's own requests.
    init(_ traffic: WorkerState, _ spawnTask: @escaping @Sendable () -> Void) throws(TLSFailure) {
        reflections = traffic.mocks.reflections
        var configuration = traffic.shared.configuration
        (configuration.addresses, configuration.identities, configuration.clientAuthorities) = ([], nil, nil)
        (configuration.observer, configuration.store, configuration.didStall) = (nil, nil, nil)
        (configuration.tracing, configuration.spans, configuration.breakpoints) = (nil, nil, nil)
        (configuration.networks, configuration.mocks, configuration.pages) = (Networks(), Mocks(), nil)
        state = WorkerState(
            traffic.core, try Proxy.Shared(configuration, traffic.shared.source), spawnTask)
        state.webhooks.areSent = false
        waiter = Waiter(traffic.core)
    }

    /// Runs a task that a connection has spawned.
    func runTask() async { await state.loop.tasks.runNext() }

    func wake() { waiter.wake() }

    /// Ends what is under way.
    func end() {
        isOver = true
        state.loop.abort()
        waiter.wake()
    }

    /// Asks whenever there is a reason to, until the end, or until profiles name no server.
    ///
    /// - Parameter once: all are asked now, and none again.
    func run(once: Bool = false) async {
        waiter.note("schemas of servers")
        while !isOver {
            guard let plans = state.currentEnvironment?.reflections, !plans.isEmpty else { break }
            let next = reflections.next(of: plans, now: state.core.clock())
            if let plan = next.due {
                await ask(plan)
            } else if once {
                break
            } else {
                waiter.deadline = next.time
                await waiter.park()
            }
        }
        state.drain()
        await state.idleReaper.run(state)
        waiter.retire()
    }

    private func ask(_ plan: ReflectionPlan) async {
        var hasWritten = false
        let result: ReflectionStatus.Result
        do throws(Trouble) {
            // Where it cannot be made, that is told below.
            try? plan.reflection.prepare()
            let (reflection, files) = (plan.reflection, try await files(of: plan))
            // Megabytes of descriptors would keep other clients of this worker waiting.
            waiter.deadline = .never
            let read = await state.threads.result(on: waiter) {
                () -> Result<(ProtobufSchema, hasWritten: Bool), Trouble> in
                Result { () throws(Trouble) in try Self.keep(files, of: reflection) }
            }
            guard let read else { throw Trouble(message: "what \(reflection.origin) says could not be read in time") }
            let schema: ProtobufSchema
            (schema, hasWritten) = try read.get()
            let services = schema.services.values
            result = .known(services: services.count, methods: services.reduce(0) { $0 + $1.methods.count })
        } catch {
            result = .failed(error.message, advice: error.advice)
        }
        if !isOver { reflections.end(plan, result, hasWritten: hasWritten, now: state.core.clock()) }
    }

    /// Reads what a server says of itself, and keeps it; whether that was new.
    private static func keep(
        _ files: ReflectionFiles, of reflection: GRPCReflection
    ) throws(Trouble) -> (ProtobufSchema, hasWritten: Bool) {
        let (set, schema): ([UInt8], ProtobufSchema)
        set = files.set
        do throws(ProtobufSchema.Failure) {
            schema = try ProtobufSchema(descriptors: set)
        } catch {
            throw Trouble(message: "\(reflection.origin) describes itself wrongly: \(error.message)")
        }
        do throws(FileFailure) { return (schema, try reflection.keep(set)) } catch {
            throw Trouble(
                message: "what \(reflection.origin) says cannot be kept: \(error.path) \(error.reason)",
                advice: "Make room on the disk, or see whether \(error.path) is yours.")
        }
    }

    private struct Trouble: Error {
        let message: String
        var advice: String?
    }

    /// All files that declare a server's services, and what they import.
    private func files(of plan: ReflectionPlan) async throws(Trouble) -> ReflectionFiles {
        let origin = plan.reflection.origin
        let end = state.core.clock().after(Self.limit)
        var (path, known): (String, [ReflectionAnswer]?) = (ReflectionQuestion.paths[0], nil)
        for other in ReflectionQuestion.paths where known == nil {
            path = other
            known = try await answers(of: plan, path, [.services], end)
        }
        guard let known else {
            throw Trouble(
                message: "\(origin) has no server reflection",
                advice: "Add it to the server, or name its messages by \"descriptors\" or \"protos\".")
        }
        var names: [String] = []
        for case .services(let list) in known { names += list.filter { !$0.hasPrefix(ReflectionQuestion.package) } }
        guard !names.isEmpty else {
            throw Trouble(message: "\(origin) names no services", advice: "Register them before its reflection.")
        }
        guard names.count <= Self.maxServices else {
            throw Trouble(
                message: "\(origin) names \(names.count) services", advice: "At most \(Self.maxServices) are read.")
        }
        var (files, questions) = (ReflectionFiles(), names.map { ReflectionQuestion.symbol($0) })
        for _ in 0..<Self.maxRounds where !questions.isEmpty {
            let count = files.count
            for answer in try await answers(of: plan, path, questions, end) ?? [] {
                switch answer {
                case .files(let list):
                    for file in list where !files.add(file) {
                        throw Trouble(message: "\(origin) describes itself by what is no file, or by too many")
                    }
                case .failure(let status, let text):
                    throw Trouble(message: "\(origin) does not describe itself: \(GRPC.name(of: status)) \(text)")
                case .services, .extensions: break
                }
            }
            questions = files.count > count ? files.missing.map { .file($0) } : []
        }
        guard files.missing.isEmpty else {
            throw Trouble(message: "\(origin) does not say what is in \(files.missing[0])")
        }
        return files
    }

    /// What a server says, in the order of the questions; nil where it does not know that method.
    private func answers(
        of plan: ReflectionPlan, _ path: String, _ questions: [ReflectionQuestion], _ end: Instant
    ) async throws(Trouble) -> [ReflectionAnswer]? {
        let origin = plan.reflection.origin
        let body = questions.flatMap { GRPC.frame($0.bytes) }
        let head = """
            POST \(path) HTTP/1.1\r\nHost: \(plan.address.authority)\r\nShunt-Profile: \(plan.route.profileName)\r\n\
            Content-Type: application/grpc\r\nTE: trailers\r\nUser-Agent: shunt\r\ngrpc-timeout: 10S\r\n\
            Content-Length: \(body.count)\r\n\r\n
            """
        let (sent, failure) = await response(to: Array(head.utf8) + body, by: plan, end)
        if let failure { throw Trouble(message: failure.message, advice: advice(failure, plan)) }
        guard sent.count <= Self.maxSize else {
            throw Trouble(message: "\(origin) says more of itself than \(Self.maxSize >> 20) MiB")
        }
        let reply = MemoryChannel(state.loop.buffers)
        reply.receive(sent)
        reply.receiveEnd()
        var exchange = SmallExchange(reply, waiter)
        do throws(SmallExchange.Failure) {
            try await exchange.ask([])
            _ = try await exchange.readContent(limit: Self.maxSize)
        } catch {
            throw Trouble(message: "\(origin) \(error.reason)")
        }
        let status = exchange.value(named: "grpc-status").flatMap { UntrustedNumber(digits: $0) }?.clamped() as Int?
        if status == 12 { return nil }
        guard status == 0 else {
            let text = exchange.value(named: "grpc-message").map { String(decoding: $0, as: UTF8.self) } ?? ""
            let said =
                status.map { "\(GRPC.name(of: $0)) \(text)" } ?? "\(exchange.head.status), and no status of a call"
            throw Trouble(message: "\(origin) does not describe itself: it responds with \(said)")
        }
        var (answers, rest): ([ReflectionAnswer], ArraySlice<UInt8>) = ([], exchange.content[...])
        while let frame = GRPCFrame(rest), !frame.isCut, !frame.isCompressed {
            guard let answer = ReflectionAnswer(frame.bytes) else { break }
            answers.append(answer)
            rest = frame.rest
        }
        guard rest.isEmpty else {
            throw Trouble(message: "\(origin) does not describe itself: what it sends is no answer")
        }
        return answers
    }

    /// The next step in one line.
    private func advice(_ failure: EngineFailure, _ plan: ReflectionPlan) -> String? {
        if case .guarded = failure.kind {
            return "Name \"grpc\" under \"allow\" of the route, unlock production for a while, or name the messages by "
                + "\"descriptors\" or \"protos\"."
        }
        if !failure.fixes.isEmpty {
            return "`shunt trust explain \(plan.address.host):\(plan.address.port)` says what helps."
        }
        return failure.advice?.split(separator: "\n").first.map(String.init)
    }

    /// All bytes of the response to a request, as a client of HTTP/1.1 gets them.
    private func response(
        to request: [UInt8], by plan: ReflectionPlan, _ end: Instant
    ) async -> (bytes: [UInt8], failure: EngineFailure?) {
        let (channel, client) = (MemoryChannel(state.loop.buffers), Waiter(state.core))
        channel.keptBytes = Self.maxSize + 1
        channel.receive(request)
        channel.notify(client)
        let exchange = ClientExchange(channel, client, state)
        exchange.metrics.begin(now: state.core.now)
        let limit = TimeLimit(end, client, channel, state)
        while true {
            guard case .bytes? = try? channel.fill(limit: .max) else { break }
            guard (try? exchange.readHead()) == true else { continue }
            await exchange.serve("the schema of a server") { (_) throws(EngineFailure) in
                try await exchange.respond(by: plan.route, nil)
            }
            break
        }
        limit.end()
        let failure = limit.hasPassed ? EngineFailure.late(plan) : exchange.metrics.failure
        exchange.release()
        channel.close()
        client.retire()
        return (channel.takeSent(), failure)
    }

    /// Breaks a connection in memory off at a given time.
    private final class TimeLimit: LoopTask {
        private let waiter: Waiter
        private let client: Waiter
        private let channel: MemoryChannel
        private(set) var hasPassed = false

        init(_ end: Instant, _ client: Waiter, _ channel: MemoryChannel, _ state: WorkerState) {
            (self.client, self.channel, waiter) = (client, channel, Waiter(state.core))
            waiter.deadline = end
            state.loop.spawn(self)
        }

        func end() { waiter.cancel() }

        func run() async {
            while !waiter.isCancelled, !waiter.isExpired { await waiter.park() }
            if !waiter.isCancelled {
                hasPassed = true
                channel.receiveReset()
                client.cancel()
            }
            waiter.retire()
        }
    }
}

extension EngineFailure {
    fileprivate static func late(_ plan: ReflectionPlan) -> EngineFailure {
        EngineFailure(
            .origin, .wait, status: 504, "\(plan.reflection.origin) did not describe itself in time",
            advice: "It accepts connections: look into its own log what keeps it.")
    }
}

extension Proxy {
    /// What is known of the servers that are asked for their schemas.
    public var reflected: [ReflectionStatus] {
        guard case .profiles(let active) = source else { return [] }
        return mocks.reflections.status(of: active.environment.reflections)
    }

    /// Asks every server for its schema that profiles name.
    public func reflect() async -> [ReflectionStatus] {
        await workers.first?.reflect(once: true)
        return reflected
    }

    /// Asks them as long as it runs, in a proxy that clients can reach.
    func startReflecting() {
        guard !addresses.isEmpty, case .profiles = source, let worker = workers.first else { return }
        mocks.reflections.onWish { Task { await worker.wakeReflecting() } }
        Task { await worker.wakeReflecting() }
    }
}
