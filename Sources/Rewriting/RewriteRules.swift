public import HTTP
import Synchronization

/// The rules for rewriting the heads of one route's exchanges.
public final class RewriteRules: Sendable {
    /// A route's settings, compiled.
    public struct Settings: Sendable {
        /// The origin and its neighbours; nil if the origin uses the client's own names.
        ///
        /// Cookies need it, too.
        public var addresses: AddressMap?
        public var rewritesAddresses = true
        public var rewritesCookies = true
        /// The name of the profile's jar; nil for the one that profiles without a jar share.
        public var jar: String?
        /// Some profile has a jar, so that cookies bear the name of theirs.
        public var usesJars = false
        /// Takes out fields that would pin a client to an address.
        public var removesPins = true
        public var removesClearSiteData = false
        public var cors: CORSRules?

        public init() {}
    }

    public let settings: Settings
    /// nil where addresses stay.
    let map: AddressMap?
    /// Cookies are rewritten, and each becomes one line at most.
    let rewritesSingleCookies: Bool
    /// Of each kind of field that most responses repeat.
    let policy = Mutex(FieldCache())
    let reportOnlyPolicy = Mutex(FieldCache())
    let links = Mutex(FieldCache())
    /// Addresses become the client's, and back.
    public var rewritesAddresses: Bool { map != nil }
    /// What they are; nil where they stay.
    public var addresses: AddressMap? { map }
    /// Fields of a request that may change on their way.
    public let requestNames: FieldNameSet
    /// Fields of a response that may change on their way.
    public let responseNames: FieldNameSet

    public init(_ settings: Settings) {
        self.settings = settings
        rewritesSingleCookies = settings.rewritesCookies && !settings.usesJars
        map = settings.rewritesAddresses ? settings.addresses : nil
        var responseNames: FieldNameSet = settings.removesPins ? Self.pins.union(Self.policies) : []
        if map != nil { responseNames = responseNames.union(Self.policies).union(Self.responseAddresses) }
        if settings.removesClearSiteData || settings.usesJars { responseNames.insert(.clearSiteData) }
        if settings.rewritesCookies || settings.usesJars { responseNames.insert(.setCookie) }
        self.responseNames = responseNames
        // Shunt's own cookies never reach an origin.
        requestNames = map != nil ? [.cookie, .origin, .referer, .destination, .other] : [.cookie]
    }

    private static var responseAddresses: FieldNameSet {
        [.location, .contentLocation, .refresh, .link, .accessControlAllowOrigin, .wwwAuthenticate, .other]
    }

    /// Clients would apply an origin's statement about its host to a host that stands for many origins.
    private static var pins: FieldNameSet {
        [
            .strictTransportSecurity, .altSvc, .publicKeyPins, .publicKeyPinsReportOnly, .expectCt, .reportTo,
            .reportingEndpoints, .nel,
        ]
    }

    private static var policies: FieldNameSet { [.contentSecurityPolicy, .contentSecurityPolicyReportOnly] }
}
