import HTTP2
import Reactor
import TLS

/// The failures of an exchange that ends without its response, or within it.
extension OriginRelay {
    func expired(_ stage: EngineFailure.Stage, _ limit: UInt64) -> EngineFailure {
        let address = origin.pool.plan.address
        if let patience, exchange.state.core.now >= patience.until {
            return .slow(address, .wait, "did not respond", patience.limit, option: "offline.slowerThan")
        }
        switch stage {
        case .wait:
            let isChains = limit < limits.responseTime
            return .slow(
                address, .wait, "did not respond", limit, option: isChains ? "fallback.timeout" : "--response-timeout")
        case .receive:
            return .slow(address, .receive, "sent nothing more of its response", limit, option: "--body-timeout")
        case .send where originChannel.isFlushed && !isOriginFull && !isRequestBroken:
            return EngineFailure(
                .client, .send, status: 408, "the request's body stood still for \(limit / Limits.second) s")
        case .send: return .slow(address, .send, "did not take the request", limit, option: "--body-timeout")
        default: return .clientLeft("nothing moved for \(limit / Limits.second) s")
        }
    }

    func lostBeforeResponse(_ reason: String?, isRefused: Bool = false) -> EngineFailure {
        if isRefused, !exchange.body.isSpent || canRepeatBody || memory.requestPump.canTakeBack {
            let why = origin.shared?.session.closeReason.map { " (\($0))" } ?? ""
            return .lost(origin.pool.plan.address, .wait, "refused the stream" + why, kind: .refused)
        }
        if origin.pool.plan.isHTTP2Known, let shared = origin.shared, !shared.session.hasSettings,
            let ending = shared.ending
        {
            return .lost(
                origin.pool.plan.address, .wait, "did not begin as HTTP/2 does (\(ending))",
                advice: "If it speaks HTTP/1.1, give it http:// instead of h2c://; else look into its own log.")
        }
        if hasReceived, let foreign = EngineFailure.foreign(originChannel.inputBytes, of: origin.pool.plan.address) {
            return foreign
        }
        // A stream that was reset does not mean that the connection was closed before.
        let isStale = origin.useCount > 0 && !hasReceived && (origin.shared.map { $0.ending != nil } ?? true)
        let what =
            hasReceived
            ? "closed the connection in the middle of its response's head" : "closed the connection without a response"
        let address = origin.pool.plan.address
        let session = hasReceived ? nil : originChannel.tls
        // Servers of TLS 1.3 tell after the handshake; a reset may come in place of their alert.
        let complaint = session?.certificateComplaint
        let isAsked = complaint != nil || session?.lacksCertificate == true
        let why = reason ?? (isAsked ? "it has asked for a client certificate" : nil)
        return .lost(
            address, .wait, complaint ?? why.map { "\(what) (\($0))" } ?? what,
            kind: isStale ? .staleConnection : .noResponse,
            advice: isAsked ? address.clientCertificateAdvice : nil)
    }
}
