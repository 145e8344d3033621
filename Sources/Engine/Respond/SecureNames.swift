import HTTP
import Profiles
import Rewriting
import Synchronization

/// The rules where an origin without TLS gets the Host of a client that uses https: links to the client's own address
/// with `http://`, which a browser would block, become `https://`.
final class SecureNames: Sendable {
    struct Names: Sendable {
        let rules: RewriteRules
        /// nil if bodies are not rewritten.
        let bodyMap: AddressMap?
    }

    /// Clients name few hosts; a list of this length begins anew.
    private static let limit = 64

    private let settings: RewriteRules.Settings
    private let rewritesBodies: Bool
    private let known = Mutex<[String: Names]>([:])

    init(_ settings: RewriteRules.Settings, rewritesBodies: Bool) {
        self.settings = settings
        self.rewritesBodies = rewritesBodies
    }

    func names(host: String, port: UInt16) -> Names {
        known.withLock { known in
            let key = "\(host):\(port)"
            if let names = known[key] { return names }
            if known.count >= Self.limit { known.removeAll() }
            let map = AddressMap(own: OriginName(isTLS: true, host: host, port: port, basePath: ""), others: [])
            var settings = settings
            (settings.addresses, settings.rewritesAddresses) = (map, true)
            let names = Names(rules: RewriteRules(settings), bodyMap: rewritesBodies ? map : nil)
            known[key] = names
            return names
        }
    }
}

extension OriginUse {
    /// The rules for a response to the client of an exchange.
    @inline(__always)
    func rules(for exchange: ClientExchange) -> RewriteRules {
        secureNames == nil ? rules : names(for: exchange)?.rules ?? rules
    }

    /// The same for its body.
    func bodyMap(for exchange: ClientExchange) -> AddressMap? {
        secureNames == nil ? bodyMap : names(for: exchange)?.bodyMap ?? bodyMap
    }

    /// Pages may have links that lead past Shunt.
    var countsLinks: Bool { bodyMap == nil && rules.rewritesAddresses }

    @inline(never)
    private func names(for exchange: ClientExchange) -> SecureNames.Names? {
        guard let secureNames, exchange.client.isSecure else { return nil }
        let head = exchange.request.head
        let start = head.host.lowerBound + exchange.request.labelLength
        guard start < head.host.upperBound else { return nil }
        let host = exchange.request.text(start..<head.host.upperBound).lowercased()
        return secureNames.names(host: host, port: head.port ?? 443)
    }
}

/// What responses have shown of an origin, so far.
final class OriginFindings: Sendable {
    /// Pages that are looked at for links, before none is expected.
    private static let maxPages = 20

    /// It redirects to https what came to it as http.
    let wantsTLS = Atomic<Bool>(false)
    private let pages = Atomic<Int>(0)
    private let hasLinks = Atomic<Bool>(false)

    /// Whether another page is to be looked at for links that lead past Shunt.
    func takePage() -> Bool {
        guard pages.load(ordering: .relaxed) < Self.maxPages, !hasLinks.load(ordering: .relaxed) else { return false }
        return pages.add(1, ordering: .relaxed).oldValue < Self.maxPages
    }

    /// Whether such links are found for the first time.
    func takeLinks() -> Bool { !hasLinks.exchange(true, ordering: .relaxed) }
}
