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

extension ExchangeNotes {
    /// Everything that is known, as values that others may keep.
    func exchange(status: Int, _ failure: EngineFailure?, _ client: ClientExchange) -> Exchange {
        let now = client.state.core.now
        var exchange = blank(client, now)
        exchange.status = failure?.side == .client && failure?.stage == .deliver ? nil : status
        exchange.profile = route?.profileName ?? profile
        exchange.route = route?.route.label
        exchange.bytes = bytes
        exchange.retries = retries
        exchange.reason = reason?.rawValue
        exchange.responder = responder
        exchange.hops = hops
        exchange.rewritten = changes.names
        exchange.isUnlocked = isUnlocked
        exchange.failure = failure.map {
            Exchange.Failure(side: $0.side.rawValue, stage: $0.stage.rawValue, message: $0.message)
        }
        if let origin {
            exchange.origin = facts(origin)
            if !isReused {
                exchange.timings.dns = origin.timings.resolve / 1000
                exchange.timings.connect = origin.timings.connect / 1000
                if origin.pool.plan.context != nil { exchange.timings.tls = origin.timings.tls / 1000 }
            }
        } else if let address {
            exchange.origin = Exchange.OriginFacts(
                url: address.description, trust: address.isTLS ? address.trust.name : nil)
        }
        if sendEnd > 0 { exchange.timings.send = (max(sendEnd, sendStart) - sendStart) / 1000 }
        if firstByte > 0 {
            exchange.timings.wait = (firstByte - max(min(sendEnd, firstByte), start)) / 1000
            exchange.timings.receive = (max(now, firstByte) - firstByte) / 1000
        }
        return exchange
    }

    private var responder: String {
        if origin != nil { return "origin" }
        if case .mock = route?.answer { return "mock" }
        return "shunt"
    }

    func handshake(_ failure: any Error, _ client: ClientExchange) -> Exchange {
        var exchange = blank(client, client.state.core.now)
        exchange.method = "-"
        exchange.failure = Exchange.Failure(
            side: "client", stage: "tls",
            message: "TLS handshake with \(client.peer?.description ?? "the client") failed: \(failure)")
        return exchange
    }

    private func blank(_ client: ClientExchange, _ now: Instant) -> Exchange {
        var time = timeval()
        gettimeofday(&time, nil)
        let total = (max(now, start) - start) / 1000
        let ended = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
        var exchange = Exchange(
            startedAt: ended - Int64(total),
            client: Exchange.ClientFacts(
                address: client.peer?.description ?? "", version: version, tls: client.channel.tls?.version),
            method: method, url: url)
        exchange.timings.total = total
        return exchange
    }

    private func facts(_ origin: OriginConnection) -> Exchange.OriginFacts {
        var facts = Exchange.OriginFacts(
            url: origin.pool.plan.address.description, address: origin.address.description,
            isReused: isReused)
        if let tls = origin.channel.tls {
            facts.tls = tls.version
            facts.isResumed = tls.wasResumed
            facts.trust = origin.pool.plan.address.trust.name
            facts.trustDecision = origin.decision(tls)
        }
        return facts
    }
}
