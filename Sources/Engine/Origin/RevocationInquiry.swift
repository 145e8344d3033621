import Reactor
import TLS

/// Asks whether the certificates of a new connection's chain were revoked, before anything is sent on it.
///
/// The response in the handshake comes first, then the cache, then responders and lists at the URLs of the certificates.
struct RevocationInquiry {
    /// For all questions of one connection; the limit for connecting counts besides.
    private static let limit = 5 * Limits.second
    private static let maxResponse = 64 << 10
    private static let maxList = 16 << 20
    /// URLs of one kind that are tried for a certificate.
    private static let maxURLs = 2

    let options: RevocationOptions
    /// The origin lies in a network of one's own, and so may those that are asked about it.
    let allowsPrivate: Bool
    let state: WorkerState
    let waiter: Waiter
    private var now: Int64 { state.clock() }

    /// What has to be told besides about a chain that passes, such as what could not be asked; nil for nothing.
    func run(_ session: Session) async throws(TLSFailure) -> String? {
        let deadline = waiter.deadline
        defer { waiter.deadline = deadline }
        waiter.deadline = min(deadline, state.core.clock().after(Self.limit))
        let checks = session.revocationChecks
        var notes: [String] = []
        for (index, check) in checks.enumerated() {
            var reasons: [String] = []
            let staple = index == 0 && options.ocsp ? session.stapledResponse : nil
            if index == 0, options.ocsp, let reason = missing(staple, check) {
                throw rejected(
                    session, .noStaple, "no OCSP response in the handshake", "\(check.name) demands one: \(reason)")
            }
            switch await status(of: check, staple, &reasons) {
            case .good: break
            case .revoked(let when): throw rejected(session, .revoked, "certificate revoked", "\(check.name) \(when)")
            case .unknown:
                let note =
                    "\(check.name): "
                    + (reasons.isEmpty ? "it names neither a responder nor a list" : reasons.joined(separator: ", "))
                notes.append(note)
            }
        }
        if checks.isEmpty, !session.verification.isTrusted {
            notes.append("the issuer of the certificate is not known")
        }
        guard !notes.isEmpty else { return nil }
        let text = notes.joined(separator: "; ")
        if options.requirePositiveResponse {
            throw rejected(session, .unknownRevocation, "revocation could not be checked", text)
        }
        return "revocation could not be checked: \(text)"
    }

    /// Why the response in the handshake is none, where the certificate demands one; nil where all is well.
    private func missing(_ staple: [UInt8]?, _ check: RevocationCheck) -> String? {
        guard check.mustStaple else { return nil }
        guard let staple else { return "the origin has sent none" }
        guard case .unknown(let reason) = check.status(inResponse: staple) else { return nil }
        return reason
    }

    /// - Parameter reasons: why nothing was learnt from each place that was asked.
    private func status(
        of check: RevocationCheck, _ staple: [UInt8]?, _ reasons: inout [String]
    ) async -> RevocationStatus {
        if let staple {
            let status = check.status(inResponse: staple)
            if case .unknown(let reason) = status {
                reasons.append("in the handshake: \(reason)")
            } else {
                return status
            }
        }
        for isList in options.preferCRL ? [true, false] : [false, true] where isList ? options.crl : options.ocsp {
            if let known = state.revocations.status(of: check, byList: isList, now: now) { return known }
            for url in (isList ? check.lists : check.responders).prefix(Self.maxURLs) {
                let status = isList ? await list(of: check, at: url) : await response(about: check, at: url)
                if case .unknown(let reason) = status {
                    reasons.append("\(url): \(reason)")
                } else {
                    state.revocations.keep(status, of: check, byList: isList, now: now)
                    return status
                }
            }
        }
        return .unknown("")
    }

    private func response(about check: RevocationCheck, at url: String) async -> RevocationStatus {
        if let reason = refusal(url) { return .unknown(reason) }
        guard let content = check.request() else { return .unknown("no request could be made") }
        do throws(FetchFailure) {
            let request = PlainFetch.Request(
                url: url, content: ("application/ocsp-request", content), limit: Self.maxResponse,
                allowsPrivate: allowsPrivate)
            let bytes = try await PlainFetch(request: request, state: state, waiter: waiter).run()
            return check.status(inResponse: bytes)
        } catch {
            return failed(url, error)
        }
    }

    private func list(of check: RevocationCheck, at url: String) async -> RevocationStatus {
        if let bytes = state.revocations.list(at: url, now: now) { return await status(of: check, inList: bytes) }
        if let reason = refusal(url) { return .unknown(reason) }
        do throws(FetchFailure) {
            let bytes = try await download(url)
            let status = await status(of: check, inList: bytes)
            if case .good(let until) = status { state.revocations.keep(list: bytes, at: url, until: until) }
            return status
        } catch {
            return failed(url, error)
        }
    }

    /// A list, which several connections may be waiting for.
    private func download(_ url: String) async throws(FetchFailure) -> [UInt8] {
        let request = PlainFetch.Request(url: url, limit: Self.maxList, allowsPrivate: allowsPrivate)
        guard let (download, isNew) = state.revocations.download(request) else {
            throw FetchFailure(reason: "too many lists are being downloaded")
        }
        if isNew { state.loop.spawn(ListDownload(request, state, limit: Self.limit)) }
        guard let result = await download.value(on: waiter) else {
            throw FetchFailure(reason: "it did not respond in time")
        }
        return try result.get()
    }

    /// Reads a list on a thread, since large ones take long.
    private func status(of check: RevocationCheck, inList bytes: [UInt8]) async -> RevocationStatus {
        await state.revocations.readers.result(on: waiter) { check.status(inList: bytes) }
            ?? .unknown("the list could not be read in time")
    }

    /// Why a URL is not asked.
    private func refusal(_ url: String) -> String? {
        if options.networkAccessDisabled { return "networkAccessDisabled is set" }
        return state.revocations.failure(at: url, now: now)
    }

    private func failed(_ url: String, _ failure: FetchFailure) -> RevocationStatus {
        // A connection that is given up says nothing about the responder.
        if !waiter.isCancelled { state.revocations.keep(failure: failure.reason, at: url, now: now) }
        return .unknown(failure.reason)
    }

    private func rejected(
        _ session: Session, _ kind: TLSFailure.Rejection, _ reason: String, _ details: String
    ) -> TLSFailure {
        let chain = session.verification.chain
        return TLSFailure(
            .certificateRejected(kind, reason: reason, chain: chain),
            "the origin's certificate was rejected: \(reason) (\(details))")
    }
}

/// Downloads a list in a task of its own: the connection that needed it first may be given up before the others.
private final class ListDownload: LoopTask {
    private let request: PlainFetch.Request
    private let state: WorkerState
    private let limit: UInt64

    init(_ request: PlainFetch.Request, _ state: WorkerState, limit: UInt64) {
        (self.request, self.state, self.limit) = (request, state, limit)
    }

    func run() async {
        let waiter = Waiter(state.core)
        waiter.deadline = state.core.clock().after(limit)
        let result: Result<[UInt8], FetchFailure>
        do throws(FetchFailure) {
            result = .success(try await PlainFetch(request: request, state: state, waiter: waiter).run())
        } catch {
            result = .failure(error)
        }
        waiter.retire()
        state.revocations.end(request, result)
    }
}
