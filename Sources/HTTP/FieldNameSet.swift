/// A set of known field names, as two words.
public struct FieldNameSet: Equatable, Sendable, ExpressibleByArrayLiteral {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0

    @inline(__always)
    init() {}

    /// The set of these names.
    public init(arrayLiteral names: FieldName...) {
        for name in names { insert(name) }
    }

    /// Adds a name.
    @inlinable
    public mutating func insert(_ name: FieldName) {
        let bit: UInt64 = 1 &<< UInt64(name.rawValue & 63)
        if name.rawValue < 64 { low |= bit } else { high |= bit }
    }

    /// Whether the name is in the set.
    @inlinable
    public func contains(_ name: FieldName) -> Bool {
        (name.rawValue < 64 ? low : high) &>> UInt64(name.rawValue & 63) & 1 == 1
    }

    /// Whether both have a name in common.
    @inlinable
    public func meets(_ other: FieldNameSet) -> Bool { low & other.low | high & other.high != 0 }

    /// The names of either.
    @inlinable
    public func union(_ other: FieldNameSet) -> FieldNameSet {
        var both = self
        both.low |= other.low
        both.high |= other.high
        return both
    }

    /// The names that the other set does not have.
    @inlinable
    public func subtracting(_ other: FieldNameSet) -> FieldNameSet {
        var rest = self
        rest.low &= ~other.low
        rest.high &= ~other.high
        return rest
    }
}

extension FieldName {
    /// Whether a field of this name concerns one connection and is never forwarded (RFC 9110 7.6.1).
    ///
    /// Proxy-Authenticate and Proxy-Authorization are not: a chain of proxies may agree on who reads them
    /// (RFC 9110 11.7.1), and this one reads neither.
    public var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .http2Settings: true
        default: false
        }
    }

    /// Whether a trailer section must not hold it (RFC 9110 6.5.1): merging it into the head would change after the
    /// fact how the message was framed, routed, authenticated or to be read.
    public var isForbiddenInTrailers: Bool {
        switch self {
        case .connection, .contentLength, .transferEncoding, .host, .te, .trailer, .upgrade, .expect, .keepAlive,
            .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings, .via, .forwarded,
            .xForwardedFor, .xForwardedHost, .xForwardedPort, .xForwardedProto, .xRealIp, .shuntProfile,
            .shuntSession, .shuntAttach, .shuntAnsweredBy, .shuntCluster, .contentType, .contentEncoding, .contentRange,
            .location, .setCookie,
            .cookie, .origin,
            .authorization, .wwwAuthenticate, .cacheControl, .pragma, .ifMatch, .ifNoneMatch, .ifModifiedSince,
            .ifUnmodifiedSince, .ifRange, .expires, .age, .vary, .range, .retryAfter, .maxForwards, .date:
            true
        default: false
        }
    }
}
