import HTTP
import Profiles
import Reactor
import Rewriting
import TLS
import Traffic

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ClientExchange {
    /// Everything that is known of the present exchange, as values that others may keep.
    ///
    /// Read from where it is: a copy of the notes would count what they refer to.
    func facts(status: Int, _ failure: EngineFailure?) -> Exchange {
        let now = state.core.now
        var exchange = blankFacts(now)
        exchange.status = failure?.side == .client && failure?.stage == .deliver ? nil : status
        exchange.profile = notes.route?.profileName ?? notes.profile
        exchange.route = notes.route?.route.label
        exchange.bytes = notes.bytes
        exchange.retries = notes.retries
        exchange.reason = notes.reason?.rawValue
        exchange.responder = responder
        exchange.hops = notes.hops
        if !notes.changes.isEmpty { exchange.rewritten = notes.changes.names }
        exchange.isUnlocked = notes.isUnlocked
        exchange.failure = failure.map {
            Exchange.Failure(side: $0.side.rawValue, stage: $0.stage.rawValue, message: $0.message)
        }
        if let origin = notes.origin {
            exchange.origin = facts(origin)
            if !notes.isReused {
                exchange.timings.dns = origin.timings.resolve / 1000
                exchange.timings.connect = origin.timings.connect / 1000
                if origin.pool.plan.context != nil { exchange.timings.tls = origin.timings.tls / 1000 }
            }
        } else if let address = notes.address {
            exchange.origin = Exchange.OriginFacts(
                url: address.description, trust: address.isTLS ? address.trust.name : nil)
        }
        if notes.sendEnd > 0 {
            exchange.timings.send = (max(notes.sendEnd, notes.sendStart) - notes.sendStart) / 1000
        }
        let firstByte = notes.firstByte
        if firstByte > 0 {
            exchange.timings.wait = (firstByte - max(min(notes.sendEnd, firstByte), notes.start)) / 1000
            exchange.timings.receive = (max(now, firstByte) - firstByte) / 1000
        }
        return exchange
    }

    private var responder: String {
        if notes.origin != nil { return "origin" }
        if case .mock = notes.route?.answer { return "mock" }
        return "shunt"
    }

    func facts(handshake failure: any Error) -> Exchange {
        var exchange = blankFacts(state.core.now)
        exchange.method = "-"
        exchange.failure = Exchange.Failure(
            side: "client", stage: "tls",
            message: "TLS handshake with \(peer?.description ?? "the client") failed: \(failure)")
        return exchange
    }

    private func blankFacts(_ now: Instant) -> Exchange {
        var time = timeval()
        gettimeofday(&time, nil)
        let total = (max(now, notes.start) - notes.start) / 1000
        let ended = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
        var exchange = Exchange(
            startedAt: ended - Int64(total),
            client: Exchange.ClientFacts(
                address: peerName, version: notes.version, tls: channel.tls?.version),
            method: notes.method, url: notes.url)
        exchange.timings.total = total
        return exchange
    }

    private func facts(_ origin: OriginConnection) -> Exchange.OriginFacts {
        if var facts = origin.facts {
            facts.isReused = notes.isReused
            return facts
        }
        var facts = Exchange.OriginFacts(
            url: origin.pool.plan.address.description, address: origin.address.description,
            isReused: notes.isReused)
        if let tls = origin.channel.tls {
            facts.tls = tls.version
            facts.isResumed = tls.wasResumed
            facts.trust = origin.pool.plan.address.trust.name
            facts.trustDecision = origin.decision(tls)
        }
        origin.facts = facts
        return facts
    }
}
