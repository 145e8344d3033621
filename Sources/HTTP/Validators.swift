/// What tells one state of a representation from another (RFC 9110 8.8).
public struct Validators: Sendable {
    /// Strong, with its quotes.
    public let entityTag: [UInt8]
    /// Seconds since 1970.
    public let lastModified: Int64

    public init(entityTag: [UInt8], lastModified: Int64) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// What becomes of a request by its conditions.
public enum ConditionOutcome: Sendable, Equatable {
    case proceed
    /// 304
    case notModified
    /// 412
    case failed
}

extension Validators {
    /// Goes by the conditions of a GET or a HEAD in their order (RFC 9110 13.2.2), but for If-Range.
    /// - Parameter bytes: those that the head's ranges count in.
    public func evaluate(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> ConditionOutcome {
        let names = head.names
        if names.contains(.ifMatch) {
            if !isListed(.ifMatch, isWeak: false, head, bytes) { return .failed }
        } else if let date = date(.ifUnmodifiedSince, head, bytes), lastModified > date {
            return .failed
        }
        if names.contains(.ifNoneMatch) {
            return isListed(.ifNoneMatch, isWeak: true, head, bytes) ? .notModified : .proceed
        }
        if let date = date(.ifModifiedSince, head, bytes), lastModified <= date { return .notModified }
        return .proceed
    }

    /// Whether Range counts: there is no If-Range, or it names this very state (RFC 9110 13.1.5).
    public func allowsRange(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard let field = head.field(.ifRange) else { return true }
        let value = bytes.extracting(field.value)
        if value.count > 0, value[0] == UInt8(ascii: "\"") {
            return value.withUnsafeBufferPointer { entityTag.elementsEqual($0) }
        }
        // A weak tag is neither.
        return HTTPDate.parse(value) == lastModified
    }

    private func date(_ name: FieldName, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Int64? {
        guard head.names.contains(name), let field = head.field(name) else { return nil }
        return HTTPDate.parse(bytes.extracting(field.value))
    }

    /// Whether the tag stands in a list of them, which may be spread over several lines, or is `*`.
    private func isListed(
        _ name: FieldName, isWeak: Bool, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> Bool {
        for field in head.fields where field.id == name {
            if Self.lists(bytes.extracting(field.value), entityTag, isWeak: isWeak) { return true }
        }
        return false
    }

    /// Whether a list of entity tags names one; commas may be part of a tag.
    public static func lists(_ value: Span<UInt8>, _ tag: [UInt8], isWeak: Bool) -> Bool {
        if value.count == 1, value[0] == UInt8(ascii: "*") { return true }
        var at = 0
        while at < value.count {
            var isWeakTag = false
            if value[at] == UInt8(ascii: "W"), at + 1 < value.count, value[at + 1] == UInt8(ascii: "/") {
                isWeakTag = true
                at += 2
            }
            guard at < value.count, value[at] == UInt8(ascii: "\"") else {
                // Between two of them, or what is no tag.
                at += 1
                continue
            }
            let start = at
            at += 1
            while at < value.count, value[at] != UInt8(ascii: "\"") { at += 1 }
            guard at < value.count else { return false }
            at += 1
            let isSame = value.extracting(start..<at).withUnsafeBufferPointer { tag.elementsEqual($0) }
            if isSame, isWeak || !isWeakTag { return true }
        }
        return false
    }
}
