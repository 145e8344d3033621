import Bytes
import HTTP
import Platform
import Profiles
import Reactor

/// The hosts of requests that were admitted last, as they were sent.
///
/// Confined to its worker.
struct AdmittedHosts {
    private static let limit = 16
    private var hosts: ContiguousArray<ContiguousArray<UInt8>> = []
    private var next = 0

    func contains(_ host: Span<UInt8>) -> Bool {
        for known in hosts where known.count == host.count {
            let isSame = known.withUnsafeBytes { host.equals(0..<host.count, $0) }
            if isSame { return true }
        }
        return false
    }

    mutating func add(_ host: Span<UInt8>) {
        let host = ContiguousArray(unsafeUninitializedCapacity: host.count) { room, count in
            for at in host.indices { room.initializeElement(at: at, to: host[at]) }
            count = host.count
        }
        if hosts.count < Self.limit { return hosts.append(host) }
        hosts[next] = host
        next = (next + 1) % Self.limit
    }
}

/// The check of a request's host.
///
/// A page of a stranger reaches this machine where its name is made to lead here (DNS rebinding). So what responds for
/// every host does so for hosts alone that lead here on purpose.
struct HostAdmission {
    let request: Request
    let state: WorkerState

    /// Whether the request's host leads here on purpose; no browser leaves it out.
    var isKnown: Bool {
        let host = request.bytes.extracting(request.head.host)
        if host.isEmpty || state.present.admittedHosts.value.contains(host) { return true }
        return isKnown(request.text(request.head.host))
    }

    /// Throws unless the request's host leads here on purpose.
    func check() throws(EngineFailure) {
        guard !isKnown else { return }
        let host = request.text(request.head.host)
        throw EngineFailure(
            .client, .route, status: 421,
            "no profile names the host \(host), which its owner can make lead to this machine (DNS rebinding)",
            advice: "If clients of yours use it, add \"allowedHosts\": [\"\(host)\"] to a profile, "
                + "\"host\": \"\(host)\" in a route, or start `shunt serve --allow-host \(host)`.")
    }

    @inline(never)
    private func isKnown(_ text: String) -> Bool {
        guard let environment = state.currentEnvironment, let host = normalHost(text) else { return false }
        let isKnown =
            environment.library.isKnown(host: host) || state.allowedHosts.contains { $0.covers(host: host, port: 0) }
            || state.ownNames.contains(host, now: state.core.now)
            || environment.library.environmentLabel(of: ContiguousArray(host.utf8).span).map {
                state.ownNames.contains(String(host.dropFirst($0.length)), now: state.core.now)
            } ?? false
        if isKnown { state.present.admittedHosts.value.add(request.bytes.extracting(request.head.host)) }
        return isKnown
    }
}
