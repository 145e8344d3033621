public import Bytes
public import HTTP

/// What is rewritten in the heads of one route's exchanges.
public final class RewriteRules: Sendable {
    /// What a route's settings come to.
    public struct Settings: Sendable {
        /// The origin and its neighbours; nil where the origin goes by the client's own names.
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
    /// Fields that ``append(requestField:from:authority:client:to:changes:)`` wants to see.
    public let requestNames: FieldNameSet
    /// Fields that ``append(answerField:from:authority:client:to:changes:)`` wants to see.
    public let answerNames: FieldNameSet

    public init(_ settings: Settings) {
        self.settings = settings
        requestNames = []
        answerNames = []
    }

    /// Appends a request's field as the origin is to see it, or nothing where it is not to.
    ///
    /// False if it does not fit; nothing was appended then.
    public func append(
        requestField field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        out.appendWhole(bytes.extracting(field.line))
    }

    /// Appends an answer's field as the client is to see it, or nothing where it is not to.
    ///
    /// False if it does not fit; nothing was appended then.
    public func append(
        answerField field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        out.appendWhole(bytes.extracting(field.line))
    }
}
