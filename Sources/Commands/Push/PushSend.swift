import Bytes
import HTTP
import HTTP2
import JSON
import Platform
import Push
import Reactor

/// Sends notifications through a running Shunt, as many at once as the connection allows.
struct PushSend {
    /// How often one notification is sent again after a response that told to come later.
    private static let maxRepeats = 5
    /// The same after none: a notification is lost with others on its connection, too.
    private static let maxLosses = 20
    /// Connections in a row that end without a response.
    private static let maxFailures = 5
    /// Seconds.
    private static let maxPause: Int64 = 3600
    /// Milliseconds that a turn of the connection takes where nothing comes.
    private static let turn: CInt = 100
    /// What passes by itself, if the notification comes later.
    private static let temporary = [429, 500, 502, 503, 504]

    private let port: UInt16
    /// Field lines of all requests, with their ends.
    private let fields: String
    private let signer: PushSigner
    private let streams: Int
    private let dead: PushDeadTokens
    private let ledger: PushLedger
    private var jobs: PushJobs
    private var progress: Progress
    /// To be sent before others: those without a response, and those that were told to come later.
    private var again: [PushJob] = []
    /// Sent as soon as there is room for it.
    private var next: PushJob?
    private var tally = PushTally()
    /// When sending goes on, in nanoseconds of the clock.
    private var pausedUntil: UInt64 = 0
    /// The refusal that counts for all notifications.
    private var stop: String?
    /// Why there is no more input.
    private var broken: CommandFailure?

    /// - Parameter streams: how many are under way at most.
    init(
        port: UInt16, profile: String, signer: PushSigner, streams: Int, jobs: PushJobs, progress: Progress,
        ledger: PushLedger, dead: PushDeadTokens
    ) {
        (self.port, self.signer, self.streams) = (port, signer, streams)
        (self.jobs, self.progress, self.ledger, self.dead) = (jobs, progress, ledger, dead)
        fields = "Shunt-Profile: \(profile)\r\n"
    }

    /// Returns when all are sent, a response forbids to go on, or it cannot be gone on for another reason.
    mutating func run() -> (tally: PushTally, stop: String?, failure: CommandFailure?) {
        defer { progress.end() }
        do {
            advance()
            var failures = 0
            while next != nil, stop == nil {
                pause()
                let before = tally.responses + tally.repeated
                try drive(try connect())
                failures = tally.responses + tally.repeated > before ? 0 : failures + 1
                guard failures < Self.maxFailures else {
                    throw CommandFailure(
                        "\(failures) connections ended without a response",
                        advice: "`shunt logs` may say why; with --resume FILE a run goes on where it was.")
                }
            }
        } catch {
            return (tally, stop, CommandFailure(error))
        }
        return (tally, stop, broken)
    }

    private func connect() throws -> PushWire {
        try CommandFailure.of("port \(port) takes no connection", advice: "Is Shunt running?") {
            try PushWire(port: port)
        }
    }

    /// An idle connection would be closed meanwhile.
    private mutating func pause() {
        while PushClock.now < pausedUntil {
            poll(nil, 0, Self.turn)
            show()
        }
    }

    /// Sends on one connection until nothing is left to be done on it.
    private mutating func drive(_ wire: PushWire) throws {
        defer { wire.end() }
        var lastResponse = PushClock.now
        while !wire.hasEnded || !wire.finished.isEmpty {
            let now = PushClock.now
            if wire.inFlight == 0 { lastResponse = now }
            if now >= pausedUntil { send(on: wire) }
            guard wire.inFlight > 0 || !wire.finished.isEmpty else {
                if next == nil || stop != nil || wire.isGoingAway || now < pausedUntil { return }
                wire.turn(Self.turn)
                continue
            }
            wire.turn(Self.turn)
            if !wire.finished.isEmpty { lastResponse = now }
            try take(wire)
            show()
            if now - lastResponse > UInt64(PushWire.patience) * PushClock.second { wire.end() }
        }
    }

    private mutating func send(on wire: PushWire) {
        while stop == nil, wire.inFlight < streams, wire.openable > 0, let job = next {
            let token = signer.token(now: Int64(time(nil))) ?? ""
            wire.send(job, "authorization: bearer \(token)\r\napns-id: \(ledger.id(of: job))\r\n" + fields)
            advance()
        }
    }

    /// Notes what has come back.
    private mutating func take(_ wire: PushWire) throws {
        let finished = wire.takeFinished()
        guard !finished.isEmpty else { return }
        for stream in finished { note(stream) }
        wire.keep(finished)
        // In this order, since what the ledger has is not sent again.
        try dead.flush()
        try ledger.flush()
        if next == nil { advance() }
    }

    private mutating func note(_ stream: PushStream) {
        var job = stream.job
        let code = stream.stream.closeCode
        guard let status = stream.status, status != 200 || code == .noError else {
            // A refused stream is one that the other end has not looked at.
            if code != .refusedStream { job.losses += 1 }
            guard job.losses <= Self.maxLosses else { return tally.refuse("no response") }
            again.append(job)
            return
        }
        let value = status == 200 ? nil : try? JSONReader.read(stream.body, dialect: .strict)
        let reason = value?["reason"]?.string ?? ""
        let words = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
        if status == 403 || reason == "TooManyProviderTokenUpdates" {
            // It was not delivered, and is sent again once the cause is mended.
            stop = words + (value?["detail"]?.string.map { ": \($0)" } ?? "")
            return tally.refuse(words)
        }
        if Self.temporary.contains(status) {
            job.repeats += 1
            guard job.repeats <= Self.maxRepeats else { return tally.refuse(words) }
            again.append(job)
            tally.repeated += 1
            let seconds = stream.field("retry-after").flatMap(Self.seconds) ?? 1 << Int64(job.repeats - 1)
            pausedUntil = max(
                pausedUntil, PushClock.now + UInt64(max(0, min(seconds, Self.maxPause))) * PushClock.second)
            return
        }
        if status == 200 { tally.accept() } else { tally.refuse(words) }
        ledger.acknowledge(job, status, reason)
        if status == 410 || reason == "BadDeviceToken" {
            dead.add(job.token, reason, timestamp: value?["timestamp"]?.number?.int64)
        }
    }

    /// Retry-After has seconds or a date (RFC 9110 10.2.3).
    private static func seconds(_ text: String) -> Int64? {
        if let seconds = UntrustedNumber(digits: text.utf8) { return seconds.clamped() }
        return HTTPDate.parse(ContiguousArray(text.utf8).span).map { $0 - Int64(time(nil)) }
    }

    /// Finds the next one; the end of the input, or a fault in it, lets those under way finish.
    private mutating func advance() {
        do {
            next = try nextJob()
        } catch {
            (next, broken) = (nil, CommandFailure(error))
        }
    }

    private mutating func nextJob() throws -> PushJob? {
        if let job = again.popLast() { return job }
        if broken != nil { return nil }
        while let job = try jobs.next() {
            if try !ledger.has(job) { return job }
            tally.known += 1
        }
        return nil
    }

    private mutating func show() {
        let (tally, pausedUntil) = (tally, pausedUntil)
        progress.show(Int64(tally.responses + tally.known)) {
            let refused = tally.responses - tally.accepted
            let left = pausedUntil - min(pausedUntil, PushClock.now)
            return (refused > 0 ? ", \(refused) refused" : "")
                + (left > 0 ? ", pausing for \(left / PushClock.second + 1) s" : "")
        }
    }
}
