public import Bytes
public import HTTP

/// Keeps what clients have stored of one environment out of the others.
///
/// A stored response must be validated before it is used, its entity tag carries a mark of its environment, and
/// validators without that mark do not count: so a 304 never stands for the response of another environment.
public struct CacheRules: Sendable {
    public enum Mode: Sendable {
        /// Stored responses are used by their own environment alone.
        case apart
        /// Nothing is stored.
        case never
    }

    /// Fields of requests that depend on what a client has stored.
    public static let requestNames: FieldNameSet = [.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifRange]
    /// Fields of responses that say what may be stored, and until when.
    public static let responseNames: FieldNameSet = [.etag, .lastModified, .cacheControl, .expires]
    /// Directives by which a stored response is used without being validated.
    private static let dropped: [StaticString] = [
        "no-cache", "max-age", "s-maxage", "immutable", "stale-while-revalidate", "stale-if-error",
    ]
    /// Statuses that clients store without a field that says so (RFC 9110 15.1), for ever.
    private static let permanent = [300, 301, 308, 410]
    private static let begin = Array("shunt-".utf8)

    public let mode: Mode
    /// Begins the opaque part of each entity tag; `-` and the origin's tag follow, or `@` and the seconds of
    /// Last-Modified.
    private let mark: [UInt8]

    /// - Parameter environment: names the environment, the same after a restart.
    public init(_ mode: Mode, environment: String) {
        self.mode = mode
        // FNV-1a: it has to be short and the same everywhere, and hides nothing.
        var hash: UInt32 = 2_166_136_261
        for byte in environment.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        mark = withUnsafeBytes(of: hash.bigEndian) { Self.begin + Hex.text($0).utf8 }
    }
}

// MARK: Responses

extension CacheRules {
    /// The field of a response to OPTIONS that lets a browser use the permission of one environment in another.
    public static let preflightNames: FieldNameSet = [.accessControlMaxAge]

    /// The fields of a response to GET or HEAD that ``append(_:_:status:isRewritten:to:)`` writes; nil where the
    /// response stays as it is.
    public func replacedFields(of names: FieldNameSet, status: Int) -> FieldNameSet? {
        if mode == .never { return [.cacheControl, .expires] }
        if isRedirect(status) {
            guard Self.permanent.contains(status) || names.meets([.cacheControl, .expires]) else { return nil }
            return [.cacheControl, .expires]
        }
        guard names.meets(Self.responseNames) || Self.permanent.contains(status) else { return nil }
        return [.etag, .cacheControl, .expires]
    }

    /// Appends the lines of those fields; false if there is no room.
    ///
    /// - Parameters:
    ///   - bytes: those that the fields were read from.
    ///   - isRewritten: the body is not the one that the origin's entity tag stands for.
    public func append(
        _ fields: [Field], _ bytes: Span<UInt8>, status: Int, isRewritten: Bool, to out: inout Buffer
    ) -> Bool {
        // Some caches follow permanent redirects without validating them, so that no cache may store one.
        if mode == .never || isRedirect(status) { return out.appendWhole("Cache-Control: no-store\r\n") }
        return appendTag(fields, bytes, isRewritten: isRewritten, to: &out)
            && appendCacheControl(fields, bytes, to: &out)
    }

    private func isRedirect(_ status: Int) -> Bool { (301...308).contains(status) && status != 304 }

    private func appendTag(
        _ fields: [Field], _ bytes: Span<UInt8>, isRewritten: Bool, to out: inout Buffer
    ) -> Bool {
        if let field = fields.first(where: { $0.id == .etag }) {
            let start = Self.opaqueStart(field.value, bytes)
            return out.appendWhole("ETag: ")
                && (!isRewritten || Self.isWeak(field.value, bytes) || out.appendWhole("W/"))
                && out.appendWhole(bytes.extracting(field.value.lowerBound..<start)) && out.appendWhole(mark)
                && out.appendWhole("-") && out.appendWhole(bytes.extracting(start..<field.value.upperBound))
                && out.appendWhole("\r\n")
        }
        guard let field = fields.first(where: { $0.id == .lastModified }),
            let time = HTTPDate.parse(bytes.extracting(field.value))
        else { return true }
        return out.appendWhole(isRewritten ? "ETag: W/\"" : "ETag: \"") && out.appendWhole(tag(time))
            && out.appendWhole("\"\r\n")
    }

    /// An entity tag's opaque part for a response that has nothing but a time.
    private func tag(_ lastModified: Int64) -> [UInt8] { mark + "@\(lastModified)".utf8 }

    /// What may be stored must be validated; what may not be stored stays as it is.
    private func appendCacheControl(_ fields: [Field], _ bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        let mark = out.count
        guard out.appendWhole("Cache-Control: no-cache") else { return false }
        for field in fields where field.id == .cacheControl {
            var list = QuotedList(field.value)
            while let directive = list.element(bytes) {
                let end = ByteSearch.byte(
                    UInt8(ascii: "="), in: bytes, from: directive.lowerBound, to: directive.upperBound)
                let name = bytes.extracting(directive.lowerBound..<end)
                if name.spells("no-store") {
                    out.truncate(to: mark)
                    return appendLines(of: fields, bytes, to: &out)
                }
                if name.isEmpty || Self.dropped.contains(where: { name.spells($0) }) { continue }
                guard out.appendWhole(", "), out.appendWhole(bytes.extracting(directive)) else { return false }
            }
        }
        return out.appendWhole("\r\n")
    }

    private func appendLines(of fields: [Field], _ bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        for field in fields where field.id == .cacheControl || field.id == .expires {
            guard out.appendWhole(bytes.extracting(field.line)) else { return false }
        }
        return true
    }

    /// The validators of a response of Shunt's own as its client sees them.
    public func marked(_ validators: Validators) -> Validators {
        guard mode == .apart else { return validators }
        guard !validators.entityTag.isEmpty else {
            guard validators.lastModified != .max else { return validators }
            return Validators(
                entityTag: [UInt8(ascii: "\"")] + tag(validators.lastModified) + [UInt8(ascii: "\"")],
                lastModified: .max)
        }
        let tag = validators.entityTag
        let start = tag.withSpan { Self.opaqueStart(0..<tag.count, $0) }
        return Validators(
            entityTag: tag[..<start] + mark + [UInt8(ascii: "-")] + tag[start...], lastModified: .max)
    }
}

// MARK: Requests

extension CacheRules {
    /// Fields of a request that are written anew, and their lines.
    public struct Conditions {
        public var replaced: FieldNameSet = []
        public var lines: [UInt8] = []
    }

    /// The conditions of a request as its origin is to see them; nil where they stay as they are.
    public func conditions(of head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Conditions? {
        guard head.names.meets(Self.requestNames) else { return nil }
        var result = Conditions()
        let isRead = head.method == .get || head.method == .head
        if mode == .never {
            guard isRead else { return nil }
            result.replaced = [.ifNoneMatch, .ifModifiedSince]
            if head.names.contains(.ifRange) { result.replaced = result.replaced.union([.ifRange, .range]) }
            return result
        }
        var isOwn = false
        if head.names.contains(.ifNoneMatch) {
            isOwn = restore(.ifNoneMatch, or: .ifModifiedSince, dropsOthers: isRead, head, bytes, &result)
        }
        // The time of a copy that is known to be this environment's; of others it says nothing.
        if isRead && !isOwn { result.replaced.insert(.ifModifiedSince) }
        if head.names.contains(.ifMatch) {
            _ = restore(.ifMatch, or: .ifUnmodifiedSince, dropsOthers: false, head, bytes, &result)
        }
        if let field = head.field(.ifRange) { restoreRange(field.value, bytes, &result) }
        return result
    }

    /// Writes a list of entity tags without this environment's marks; returns whether one of them had it.
    ///
    /// - Parameter time: the field that takes the place of the list where its only tag stands for a time.
    private func restore(
        _ name: FieldName, or time: FieldName, dropsOthers: Bool, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        _ result: inout Conditions
    ) -> Bool {
        result.replaced.insert(name)
        var (tags, date, isOwn): ([UInt8], Int64?, Bool) = ([], nil, false)
        for field in head.fields where field.id == name {
            var list = QuotedList(field.value)
            while let tag = list.element(bytes) {
                if tag.isEmpty { continue }
                let text: [UInt8]
                switch read(tag, bytes) {
                case .own(let own): (text, isOwn) = (own, true)
                case .time(let seconds):
                    (date, isOwn) = (max(seconds, date ?? seconds), true)
                    continue
                case .foreign where dropsOthers: continue
                case .foreign, .unmarked: text = Self.copy(bytes, tag)
                }
                tags += tags.isEmpty ? text : ", ".utf8 + text
            }
        }
        if !tags.isEmpty {
            result.lines += "\(name.text): ".utf8 + tags + "\r\n".utf8
        } else if let date {
            result.replaced.insert(time)
            result.lines += "\(time.text): ".utf8
            HTTPDate.append(date, to: &result.lines)
            result.lines += "\r\n".utf8
        }
        return isOwn
    }

    private func restoreRange(_ value: Range<Int>, _ bytes: Span<UInt8>, _ result: inout Conditions) {
        result.replaced.insert(.ifRange)
        result.lines += "If-Range: ".utf8
        switch read(value, bytes) {
        case .own(let tag): result.lines += tag
        case .time(let seconds): HTTPDate.append(seconds, to: &result.lines)
        case .unmarked where HTTPDate.parse(bytes.extracting(value)) == nil:
            result.lines.append(bytes, value)
        // A part of another environment's content, or of unknown content: the client gets the whole.
        case .foreign, .unmarked:
            result.lines.removeLast(10)
            result.replaced.insert(.range)
            return
        }
        result.lines += "\r\n".utf8
    }

    /// An entity tag as its origin gave it, whatever environment's mark it has.
    public static func unmarked(_ tag: [UInt8]) -> [UInt8] {
        let (start, length) = tag.withSpan { (opaqueStart(0..<tag.count, $0), begin.count + 8) }
        guard tag.count > start + length, tag[start...].starts(with: begin), tag[start + length] == UInt8(ascii: "-")
        else { return tag }
        return Array(tag[..<start]) + tag[(start + length + 1)...]
    }

    private enum Tag {
        /// As the origin gave it.
        case own([UInt8])
        /// The origin gave Last-Modified alone.
        case time(Int64)
        /// Of another environment.
        case foreign
        case unmarked
    }

    private func read(_ tag: Range<Int>, _ bytes: Span<UInt8>) -> Tag {
        let start = Self.opaqueStart(tag, bytes)
        let end = start + mark.count
        guard end < tag.upperBound, bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "@"),
            Self.begin.indices.allSatisfy({ bytes[start + $0] == Self.begin[$0] })
        else { return .unmarked }
        guard mark.indices.allSatisfy({ bytes[start + $0] == mark[$0] }) else { return .foreign }
        let rest = end + 1..<tag.upperBound
        if bytes[end] == UInt8(ascii: "-") {
            return .own(Self.copy(bytes, tag.lowerBound..<start) + Self.copy(bytes, rest))
        }
        let seconds = Self.copy(bytes, rest).filter { $0 != UInt8(ascii: "\"") }
        return Int64(String(decoding: seconds, as: UTF8.self)).map(Tag.time) ?? .foreign
    }

    private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.append(bytes, range)
        return copy
    }

    private static func isWeak(_ tag: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        tag.count >= 2 && bytes[tag.lowerBound] == UInt8(ascii: "W") && bytes[tag.lowerBound + 1] == UInt8(ascii: "/")
    }

    /// Where the opaque part of a tag begins, also of one that lacks its quotes.
    private static func opaqueStart(_ tag: Range<Int>, _ bytes: Span<UInt8>) -> Int {
        let start = tag.lowerBound + (isWeak(tag, bytes) ? 2 : 0)
        return start < tag.upperBound && bytes[start] == UInt8(ascii: "\"") ? start + 1 : start
    }
}

/// The elements of a list whose commas may be quoted, without the white space around them.
private struct QuotedList {
    private var next: Int
    private let end: Int

    init(_ value: Range<Int>) { (next, end) = (value.lowerBound, value.upperBound) }

    mutating func element(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard next < end else { return nil }
        let quote = UInt8(ascii: "\"")
        var at = ByteSearch.either(UInt8(ascii: ","), quote, in: bytes, from: next, to: end)
        while at < end, bytes[at] == quote {
            let close = ByteSearch.byte(quote, in: bytes, from: at + 1, to: end)
            at = ByteSearch.either(UInt8(ascii: ","), quote, in: bytes, from: min(close + 1, end), to: end)
        }
        defer { next = at + 1 }
        return bytes.trimmed(next..<at)
    }
}
