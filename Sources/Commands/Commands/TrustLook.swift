import Engine
import Profiles
import TLS

/// What was seen of one origin's certificate, and how each check of it came out.
struct TrustLook {
    let project: Project
    let profile: Profile
    let host: NamedHost
    /// The origin as a route would have it, with its way.
    let address: OriginAddress
    let policy: TrustPolicy
    let rule: TrustRule?
    /// Without any judgement: the chain, or why there is none.
    let seen: ProbeResult
    let checks: [Check]
    /// The server speaks older versions of TLS alone, and passes with them.
    let passesWithOldTLS: Bool
    /// What the policy says.
    let verdict: ProbeResult

    struct Check {
        let name: String
        /// nil for a check that passed.
        let reason: String?
    }

    var sight: CertificateSight? { seen.sight }
    var isAccepted: Bool { verdict.failure == nil }
    var url: String { "https://\(host.authority)" }

    /// Connects once to see the chain and once to judge it, and sends no request.
    init(_ arguments: Arguments) async throws {
        let text = arguments.operands[1]
        guard let base = BaseURL(text.contains("://") ? text : "https://" + text), base.isTLS else {
            throw UsageError("“\(text)” is no host", advice: "Give a host such as localhost:3000.")
        }
        project = try Project.find(arguments)
        let library = try project.load()
        let name = try project.choose(arguments.text("profile"), from: library)
        guard let profile = library[name], let found = profile.trust(of: base.named) else {
            throw CommandFailure("there is no profile “\(name)”")
        }
        self.profile = profile
        (host, policy, rule) = found
        let (named, judged) = (found.host, found.policy)
        let port = named.port ?? 443
        let way = profile.routes.flatMap(\.responder.addresses).first { $0.host == named.host && $0.port == port }?
            .proxy
        func address(_ trust: TrustPolicy) -> OriginAddress {
            OriginAddress(isTLS: true, host: named.host, port: port, basePath: "", trust: trust, proxy: way)
        }
        self.address = address(judged)
        let proxy = try await Proxy.start(Proxy.Configuration(addresses: []), profiles: library, active: name)
        let results = await proxy.look(at: [.disabled, judged.evaluator].map { address(judged.with($0)) })
        let old = judged.withOldTLS
        var older: [ProbeResult] = []
        if results.first?.sight == nil, old != judged { older = await proxy.look(at: [address(old)]) }
        passesWithOldTLS = older.first?.sight != nil
        await proxy.drain()
        proxy.stop()
        guard results.count == 2 else { throw CommandFailure("the look at \(host.authority) was ended") }
        (seen, verdict) = (results[0], results[1])
        guard let chain = seen.sight?.chain, let leaf = chain.first else {
            self.checks = []
            return
        }
        let faults = ChainTrial(chain, host: named.host).faults(
            .system(extra: judged.certificateAuthorities), isStrict: judged.connection.isStrict)
        let broken = faults.filter { $0.kind != .name }.map(\.reason).joined(separator: ", ")
        let names = leaf.names.isEmpty ? "it names no host" : "it is for \(leaf.names.joined(separator: ", "))"
        checks = [
            Check(name: "chain", reason: broken.isEmpty ? nil : broken),
            Check(name: "host", reason: faults.contains { $0.kind == .name } ? names : nil),
            Check(
                name: policy.evaluator.name,
                reason: verdict.failure.map { Self.reason($0.message) } ?? Self.note(verdict)),
        ]
    }

    /// OpenSSL's reason within the message of a failure.
    static func reason(_ message: String) -> String {
        let mark = "was rejected: "
        guard let range = message.range(of: mark) else { return message }
        let rest = String(message[range.upperBound...])
        return rest.range(of: " (seen:").map { String(rest[..<$0.lowerBound]) } ?? rest
    }

    /// What could not be asked, though the certificate passes.
    private static func note(_ result: ProbeResult) -> String? {
        guard let decision = result.decision, let semicolon = decision.firstIndex(of: ";") else { return nil }
        return "passed; " + decision[decision.index(after: semicolon)...].drop { $0 == " " }
    }
}
