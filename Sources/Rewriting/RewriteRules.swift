public import Bytes
public import HTTP

/// What is rewritten in the heads of one route's exchanges.
public final class RewriteRules: Sendable {
    /// What a route's settings come to.
    public struct Settings: Sendable {
        /// The origin and its neighbours; nil where the origin goes by the client's own names.
        ///
        /// Cookies need it, too.
        public var addresses: AddressMap?
        public var rewritesAddresses = true
        public var rewritesCookies = true
        /// The name of the profile's jar; nil for the one that profiles without a jar share.
        public var jar: String?
        /// Some profile has a jar, so that cookies bear the name of theirs.
        public var usesJars = false
        /// Takes out what would pin a client to an address.
        public var removesPins = true
        public var removesClearSiteData = false
        public var cors: CORSRules?

        public init() {}
    }

    public let settings: Settings
    /// nil where addresses stay.
    let map: AddressMap?
    /// Cookies are rewritten, and each becomes one line at most.
    private let rewritesSingleCookies: Bool
    /// Fields of a request that may change on their way.
    public let requestNames: FieldNameSet
    /// Fields of an answer that may change on their way.
    public let answerNames: FieldNameSet

    public init(_ settings: Settings) {
        self.settings = settings
        map = settings.rewritesAddresses ? settings.addresses : nil
        rewritesSingleCookies = settings.rewritesCookies && !settings.usesJars
        var answerNames: FieldNameSet = settings.removesPins ? Self.pins.union(Self.policies) : []
        if map != nil { answerNames = answerNames.union(Self.policies).union(Self.answerAddresses) }
        if settings.removesClearSiteData { answerNames.insert(.clearSiteData) }
        if settings.rewritesCookies || settings.usesJars { answerNames.insert(.setCookie) }
        self.answerNames = answerNames
        // Shunt's own cookies never reach an origin.
        requestNames = map != nil ? [.cookie, .origin, .referer, .destination] : [.cookie]
    }

    private static var answerAddresses: FieldNameSet {
        [.location, .contentLocation, .refresh, .link, .accessControlAllowOrigin]
    }

    /// What an origin says of its host, clients would keep for the host that stands for many origins.
    private static var pins: FieldNameSet {
        [
            .strictTransportSecurity, .altSvc, .publicKeyPins, .publicKeyPinsReportOnly, .expectCt, .reportTo,
            .reportingEndpoints, .nel,
        ]
    }

    private static var policies: FieldNameSet { [.contentSecurityPolicy, .contentSecurityPolicyReportOnly] }

    /// Appends those of a request's fields that are in ``requestNames``, as the origin is to see them.
    ///
    /// False if they do not all fit.
    public func append(
        requestFields fields: [Field], from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        if let map {
            for field in fields where requestNames.contains(field.id) && field.id != .cookie {
                guard
                    write(
                        requestField: field, map, from: bytes, authority: authority, client: client, to: &out,
                        changes: &changes)
                else { return false }
            }
        }
        guard fields.contains(where: { $0.id == .cookie }) else { return true }
        guard settings.usesJars else {
            return CookieRewriter.append(withoutJars: fields, from: bytes, to: &out, changes: &changes)
        }
        // Which of them are the environment's shows in all together.
        return CookieRewriter.append(
            cookies: fields, from: bytes, settings: settings, authority: authority, client: client, to: &out,
            changes: &changes)
    }

    /// Appends a request's field as the origin is to see it, or nothing where it is not to.
    ///
    /// False if it does not fit; nothing was appended then.
    package func append(
        requestField field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        if field.id == .cookie {
            return CookieRewriter.append(
                cookie: field, from: bytes, settings: settings, authority: authority, client: client, to: &out,
                changes: &changes)
        }
        guard let map else { return out.appendWhole(bytes.extracting(field.line)) }
        return write(
            requestField: field, map, from: bytes, authority: authority, client: client, to: &out, changes: &changes)
    }

    /// The same for a field that is no Cookie.
    @inline(__always)
    private func write(
        requestField field: Field, _ map: AddressMap, from bytes: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        let (form, change): (AddressMap.Form, RewriteChanges)
        switch field.id {
        case .origin: (form, change) = (.origin, .origin)
        case .referer: (form, change) = (.url, .referer)
        case .destination: (form, change) = (.reference, .destination)
        default: return out.appendWhole(bytes.extracting(field.line))
        }
        return append(
            address: form, for: .origin, change, field, map, from: bytes, authority: authority, client: client,
            to: &out, changes: &changes)
    }

    /// Appends an answer's field as the client is to see it, or nothing where it is not to.
    ///
    /// False if it does not fit; nothing was appended then.
    package func append(
        answerField field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard answerNames.contains(field.id) else { return out.appendWhole(bytes.extracting(field.line)) }
        return write(
            answerField: field, map, settings.addresses, from: bytes, authority: authority, client: client, to: &out,
            changes: &changes)
    }

    /// The same for a field that is in ``answerNames``.
    @inline(__always)
    func write(
        answerField field: Field, _ map: AddressMap?, _ addresses: AddressMap?, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        switch field.id {
        case .setCookie:
            if rewritesSingleCookies,
                let fits = CookieRewriter.append(
                    ordinary: field, from: bytes, addresses, authority: authority, client: client, to: &out,
                    changes: &changes)
            {
                return fits
            }
            return CookieRewriter.append(
                setCookie: field, from: bytes, settings: settings, authority: authority, client: client, to: &out,
                changes: &changes)
        case .location, .contentLocation, .accessControlAllowOrigin:
            guard let map else { break }
            let form: AddressMap.Form = field.id == .accessControlAllowOrigin ? .origin : .reference
            return append(
                address: form, for: .client, field.id.change, field, map, from: bytes, authority: authority,
                client: client, to: &out, changes: &changes)
        case .refresh, .link, .contentSecurityPolicy, .contentSecurityPolicyReportOnly:
            return append(
                composite: field, field.id.change, map, from: bytes, authority: authority, client: client, to: &out,
                changes: &changes)
        case .strictTransportSecurity, .altSvc, .publicKeyPins, .publicKeyPinsReportOnly, .expectCt, .reportTo,
            .reportingEndpoints, .nel, .clearSiteData:
            changes.insert(field.id.change)
            return true
        default: break
        }
        return out.appendWhole(bytes.extracting(field.line))
    }
}
