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

    /// Connects once for each check, and sends no request.
    init(_ arguments: Arguments) async throws(CommandFailure) {
        let text = arguments.operands[1]
        guard let base = BaseURL(text.contains("://") ? text : "https://" + text), base.isTLS else {
            throw .usage(UsageError("“\(text)” is no host", advice: "Give a host such as localhost:3000."))
        }
        project = try Project.find(arguments)
        let library = try project.load()
        let name = try project.choose(arguments.text("profile"), from: library)
        guard let profile = library[name], let found = profile.trust(of: base.named) else {
            throw .failed("there is no profile “\(name)”")
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
        let proxy: Proxy
        do throws(ProxyError) {
            proxy = try await Proxy.start(Proxy.Configuration(addresses: []), profiles: library, active: name)
        } catch {
            throw .starting(error, option: "--port")
        }
        let results = await proxy.look(
            at: [
                .disabled, .default(Validation(validateHost: false)), .default(Validation()), judged.evaluator,
            ].map { address(judged.with($0)) })
        await proxy.drain()
        proxy.stop()
        guard results.count == 4 else { throw .failed("the look at \(host.authority) was ended") }
        (seen, verdict) = (results[0], results[3])
        guard let leaf = seen.sight?.chain.first else {
            self.checks = []
            return
        }
        let chain = results[1].failure.map { Self.reason($0.message) }
        let full = results[2].failure.map { Self.reason($0.message) }
        let isNamed = leaf.isFor(named.host)
        let names = leaf.names.isEmpty ? "it names no host" : "it is for \(leaf.names.joined(separator: ", "))"
        var list = [Check(name: "chain", reason: chain), Check(name: "host", reason: isNamed ? nil : names)]
        // Rules that neither of the two explains.
        if chain == nil, isNamed, let full { list.append(Check(name: "default", reason: full)) }
        list.append(
            Check(
                name: policy.evaluator.name,
                reason: verdict.failure.map { Self.reason($0.message) } ?? Self.note(verdict)))
        checks = list
    }

    /// OpenSSL's reason within the message of a failure.
    private static func reason(_ message: String) -> String {
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
