/// By what a request is compared with recorded ones, beside its method.
public struct RecordingRules: Sendable, Hashable {
    /// Names of parameters in queries and forms; a `*` at the end stands for any rest.
    public var ignoredQuery: [String]
    /// Places in JSON bodies, such as `items.*.id`.
    public var ignoredJSON: [String]
    public var ignoresHost: Bool
    public var ignoresBody: Bool
    /// Header fields that must be equal, in small letters.
    public var headers: [String]

    public init(
        ignoredQuery: [String] = [], ignoredJSON: [String] = [], ignoresHost: Bool = false, ignoresBody: Bool = false,
        headers: [String] = []
    ) {
        self.ignoredQuery = ignoredQuery
        self.ignoredJSON = ignoredJSON
        self.ignoresHost = ignoresHost
        self.ignoresBody = ignoresBody
        self.headers = headers.map { $0.lowercased() }
    }

    /// Parameters in an order of their own, without those that are ignored.
    func parameters(_ text: String) -> [Substring] {
        if text.isEmpty { return [] }
        let all = text.utf8.contains(UInt8(ascii: "&")) ? text.split(separator: "&") : [text[...]]
        return all.filter { !ignores(parameter: $0.prefix { $0 != "=" }) }.sorted()
    }

    private func ignores(parameter name: Substring) -> Bool {
        ignoredQuery.contains { $0.hasSuffix("*") ? name.hasPrefix($0.dropLast()) : name == $0 }
    }

    func target(method: String, host: String, path: String, query: String) -> String {
        let rest = parameters(query)
        let target = "\(method) \(ignoresHost ? "" : host)\(path)"
        return SecretMarks.withoutDigests(rest.isEmpty ? target : "\(target)?\(rest.joined(separator: "&"))")
    }
}

/// The marks that stand for secrets in recorded traffic: `<redacted:name:digest>`.
///
/// The digest depends on a key, so that a secret looks different each time it is recorded. Requests are compared
/// without the digests, after the same rules have replaced their own secrets: a mark fits every value that is secret
/// at its place.
package enum SecretMarks {
    private static let word = Array("redacted".utf8)

    static func withoutDigests(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let first = next(in: bytes, from: 0) else { return text }
        return String(decoding: withoutDigests(bytes, first), as: UTF8.self)
    }

    /// Bytes of a mark that stands for a part of a text, with quotes and escapes.
    package static let longestPart = 128

    /// Whether a body is the mark that stands for a part of a text.
    package static func isPart(_ body: [UInt8]) -> Bool { body.starts(with: Array("<redacted:part:".utf8)) }

    package static func areIn(_ bytes: [UInt8]) -> Bool { next(in: bytes, from: 0) != nil }

    static func withoutDigests(_ bytes: [UInt8]) -> [UInt8] {
        guard let first = next(in: bytes, from: 0) else { return bytes }
        return withoutDigests(bytes, first)
    }

    private static func withoutDigests(_ bytes: [UInt8], _ first: Range<Int>) -> [UInt8] {
        var (result, at): ([UInt8], Int) = ([], 0)
        var digest: Range<Int>? = first
        while let found = digest {
            result += bytes[at..<found.lowerBound]
            at = found.upperBound
            digest = next(in: bytes, from: at)
        }
        return result + bytes[at...]
    }

    /// Where the next digest stands.
    private static func next(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        var at = start
        while at + word.count < bytes.count {
            guard bytes[at] == word[0], bytes[at...].starts(with: word) else {
                at += 1
                continue
            }
            at += word.count
            guard let name = colon(bytes, at) else { continue }
            let length = bytes[name...].prefix(33) {
                $0 == 0x2D || $0 == 0x5F || $0 &- 0x30 < 10 || $0 &- 0x61 < 26
            }.count
            guard (1...32).contains(length), let digest = colon(bytes, name + length) else { continue }
            let end = digest + bytes[digest...].prefix(10) { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }.count
            if end - digest == 10 { return digest..<end }
        }
        return nil
    }

    /// Behind a colon, which may be escaped.
    private static func colon(_ bytes: [UInt8], _ at: Int) -> Int? {
        guard at < bytes.count else { return nil }
        if bytes[at] == UInt8(ascii: ":") { return at + 1 }
        return bytes[at...].starts(with: "%3A".utf8) || bytes[at...].starts(with: "%3a".utf8) ? at + 3 : nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func prefix(_ limit: Int, while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        prefix(limit).prefix(while: isPart)
    }
}
