public import Profiles
import Reactor
import TLS

// Messages for failures on the way to an origin: the cause, what was expected, the next step.
extension EngineFailure {
    static func unresolved(_ origin: OriginAddress, _ error: ResolutionError) -> EngineFailure {
        switch error {
        case .failed(let reason), .unavailable(let reason):
            EngineFailure(
                .origin, .resolve, status: 502, "the name \(origin.host) of origin \(origin) has no address: \(reason)",
                advice: "Check the host in the profile's route, or your DNS and VPN.")
        case .timedOut:
            EngineFailure(
                .origin, .resolve, status: 504, "looking up the name \(origin.host) of origin \(origin) took too long",
                advice: "Check your DNS and VPN.")
        case .overloaded:
            EngineFailure(.proxy, .resolve, status: 503, "too many names are being looked up; try again")
        }
    }

    static func expired(_ origin: OriginAddress) -> EngineFailure {
        EngineFailure(
            .proxy, .tls, status: 502,
            "the exception that switched off certificate checks for origin \(origin) has ended",
            advice: "Let its certificate be checked, or give its \"trust\" rule a later \"until\".")
    }

    static func unconnected(_ origin: OriginAddress, _ error: ConnectError, limit: UInt64) -> EngineFailure {
        let tried = error.attempts.map { "\($0.address): \($0.reason.reason)" }.joined(separator: "; ")
        if error.isTimeout {
            return EngineFailure(
                .origin, .connect, status: 504,
                "origin \(origin) did not accept a connection within \(text(limit)) (\(tried))",
                advice: "Is the host reachable from here (VPN, firewall)? `--connect-timeout` sets the limit.")
        }
        if error.attempts.contains(where: { $0.reason.isOutOfDescriptors }) {
            return outOfDescriptors("no connection to origin \(origin) can be opened")
        }
        if !error.attempts.isEmpty, error.attempts.allSatisfy(\.reason.isUnreachable) {
            let near = error.attempts.contains { !$0.address.isPublic } ? LocalNetwork.advice : nil
            return EngineFailure(
                .origin, .connect, status: 502, "origin \(origin) cannot be reached (\(tried))",
                advice: ["Is the host reachable from here (VPN, firewall)?", near].compactMap(\.self)
                    .joined(separator: " "))
        }
        return EngineFailure(
            .origin, .connect, status: 502, "origin \(origin) refused the connection (\(tried))",
            advice: "Is the server running and listening on port \(origin.port)?")
    }

    static func outOfDescriptors(_ consequence: String) -> EngineFailure {
        EngineFailure(
            .proxy, .connect, status: 503, "\(consequence): this process has as many open files as the system allows",
            advice: "Close connections, or start Shunt with a higher `ulimit -n`.")
    }

    static func untrusted(_ origin: OriginAddress, _ failure: TLSFailure) -> EngineFailure {
        var advice: String?
        var fixes: [String] = []
        var kind = Kind.final
        var message = failure.message
        switch failure.kind {
        case .certificateRejected(let why, let reason, let chain):
            let rejection = TrustRejection(
                origin: origin, chain: chain, kind: why, reason: reason, mayBeUnverified: true)
            kind = .untrusted(why)
            fixes = TrustFix.lines(rejection)
            message = message.replacing("rejected: \(reason)", with: "rejected: \(rejection.reasons)")
        case .clientCertificate: advice = origin.clientCertificateAdvice
        case .oldProtocol:
            advice =
                "Update its TLS. Until then \"minTLS\" in a trust rule for it, as in { \"policy\": \"default\", "
                + "\"minTLS\": \"1.0\" }, accepts older versions, which are no longer secure."
        case .peerAlert("handshake failure"):
            advice =
                "The origin may accept none of the cipher suites: \"ciphers\" of its trust rule says which are "
                + "offered. Or it wants a client certificate: \"clientCertificate\" names one."
        case .notTLS: advice = origin.plainAdvice
        // A port forwarder accepts connections even if no server runs behind it.
        case .truncated, .system: kind = .connectFailed
        default: break
        }
        return EngineFailure(
            .origin, .tls, status: 502, "no TLS connection to origin \(origin): \(message)", advice: advice,
            fixes: fixes,
            kind: kind)
    }

    static func lost(
        _ origin: OriginAddress, _ stage: Stage, _ what: String, kind: Kind = .final,
        advice: String? = nil
    ) -> EngineFailure {
        let usual = "Look into the origin's own log: it may have crashed or been restarted."
        // Servers end a connection that does not begin with TLS, most of them without a word.
        let mayExpectTLS = stage == .wait && !origin.isTLS && !origin.isHTTP2
        let scheme = !mayExpectTLS ? "" : "\nIf it expects TLS, write https://\(origin.authority) in the route."
        return EngineFailure(
            .origin, stage, status: 502, "origin \(origin) \(what)", advice: advice ?? usual + scheme, kind: kind)
    }

    /// An origin that speaks something else than HTTP/1.1, by its first bytes, with what to write into the route then.
    static func foreign(_ bytes: Span<UInt8>, of origin: OriginAddress) -> EngineFailure? {
        guard bytes.count >= 5 else { return nil }
        // A record of TLS (RFC 8446 5.1), mostly an alert about the request that was no hello.
        if (0x14...0x17).contains(bytes[0]), bytes[1] == 3 {
            return .lost(
                origin, .wait, "responded with TLS", advice: "Write https://\(origin.authority) in the route.")
        }
        // SETTINGS, with which HTTP/2 begins (RFC 9113 3.4).
        guard bytes.count >= 9, bytes[3] == 4, bytes[4] & 1 == 0, bytes[0] == 0, (5..<9).allSatisfy({ bytes[$0] == 0 })
        else { return nil }
        return .lost(origin, .wait, "responded with HTTP/2", advice: "Write h2c://\(origin.authority) in the route.")
    }

    static func slow(_ origin: OriginAddress, _ stage: Stage, _ what: String, _ limit: UInt64, option: String)
        -> EngineFailure
    {
        let kind: Kind =
            switch stage {
            case .tls: .connectFailed
            case .send, .wait: .noResponse
            default: .final
            }
        return EngineFailure(
            .origin, stage, status: 504, "origin \(origin) \(what) within \(text(limit))",
            // A server without TLS takes the handshake for the beginning of a request, and waits for its end.
            advice: "`\(option)` sets the limit." + (stage == .tls ? " " + origin.plainAdvice : ""), kind: kind)
    }
}

/// A chain's limits may be shorter than a second.
private func text(_ limit: UInt64) -> String {
    limit < Limits.second ? "\(limit / 1_000_000) ms" : "\(limit / Limits.second) s"
}

extension OriginAddress {
    fileprivate var plainAdvice: String { "If it speaks plain HTTP, write http://\(authority) in the route." }

    /// How the origin gets a client certificate that it accepts.
    public var clientCertificateAdvice: String {
        if trust.connection.clientCertificate != nil {
            return
                "Ask who runs it which certificates it accepts, and name one of them under \"clientCertificate\" of its "
                + "trust rule."
        }
        return
            "Name one under \"clientCertificate\" of its trust rule: \"\(authority)\": { \"policy\": \"default\", "
            + "\"clientCertificate\": { \"certificate\": \"../ca/me.pem\", \"key\": \"../ca/me.key\" } }."
    }
}
