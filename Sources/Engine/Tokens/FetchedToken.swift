import Bytes
import HTTP
import Profiles
import Reactor
import Synchronization

/// A token as it is put into requests, until it ends.
final class FetchedToken: Sendable {
    /// What is secret, as it stands in heads, and what records have instead.
    private let secret: [UInt8]
    private let mask: [UInt8]
    /// The field line, `name=value` of a cookie, or the escaped parameter.
    private let text: [UInt8]
    /// The name of the field or cookie as lines have it, in small letters where case does not matter.
    private let name: [UInt8]
    private let place: TokenSettings.Place
    let fetchedAt: Instant
    /// From here on a new one is fetched, while this one is still used.
    let renewal: Instant
    let end: Instant

    /// - Parameter lifetime: seconds; nil where nothing says when it ends.
    init(_ text: String, at place: TokenSettings.Place, now: Instant, lifetime: Int64?, rereads: Bool) {
        self.place = place
        let bytes = Array(text.utf8)
        // The same text has the same mask in one run, and the key is in no file.
        var hasher = Hasher()
        hasher.combine(bytes)
        let digits = String(UInt64(bitPattern: Int64(hasher.finalize())) >> 24, radix: 16)
        let digest = String(repeating: "0", count: 10 - digits.utf8.count) + digits
        switch place {
        case .field(let field, let prefix):
            name = Array(field.lowercased().utf8)
            (secret, mask) = (bytes, Array("<redacted:token:\(digest)>".utf8))
            self.text = Array("\(field): \(prefix)".utf8) + bytes + Array("\r\n".utf8)
        case .cookie(let cookie):
            name = Array(cookie.utf8)
            (secret, mask) = (bytes, Array("<redacted:token:\(digest)>".utf8))
            self.text = name + Array("=".utf8) + bytes
        case .query(let parameter):
            name = Array(parameter.utf8)
            secret = Array(FormCoding.encoded(text).utf8)
            mask = Array("%3Credacted:token:\(digest)%3E".utf8)
            self.text = Array("\(FormCoding.encoded(parameter))=".utf8) + secret
        }
        fetchedAt = now
        guard let lifetime, lifetime > 0 else {
            end = .never
            renewal = rereads ? now.after(Self.rereading) : .never
            return
        }
        let (nanoseconds, isTooMuch) = UInt64(lifetime).multipliedReportingOverflow(by: Limits.second)
        end = isTooMuch ? .never : now.after(nanoseconds)
        let early = min(60 * Limits.second, nanoseconds / 5)
        renewal = min(isTooMuch ? .never : end - early, rereads ? now.after(Self.rereading) : .never)
    }

    /// How often a file is read again.
    private static let rereading = 5 * Limits.second

    /// Bytes that it adds to a head.
    var length: Int { text.count + 16 }

    // MARK: Heads

    /// Puts it into the head that lies in `output` from `start` on, whose fields begin at `fields`; false if it does not
    /// fit.
    func put(into output: inout Buffer, from start: Int, fields: Int) -> Bool {
        switch place {
        case .field:
            guard Self.hasLine(name, in: output.bytes, from: fields) else { return output.appendWhole(text) }
            return output.replace(from: fields, with: Self.without(name, output.bytes, from: fields) + text)
        case .cookie:
            guard Self.hasLine(Self.cookie, in: output.bytes, from: fields) else {
                return output.appendWhole(Array("Cookie: ".utf8) + text + Array("\r\n".utf8))
            }
            return output.replace(from: fields, with: withCookie(output.bytes, from: fields))
        case .query: return output.replace(from: start, with: withParameter(Array(output.unsafeBytes[start...])))
        }
    }

    private static let cookie = Array("cookie".utf8)

    private static func hasLine(_ name: [UInt8], in bytes: Span<UInt8>, from start: Int) -> Bool {
        var at = start
        while at < bytes.count {
            if isLine(name, in: bytes, at: at) { return true }
            at = ByteSearch.byte(0x0A, in: bytes, from: at, to: bytes.count) + 1
        }
        return false
    }

    private static func isLine(_ name: [UInt8], in bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start + name.count < bytes.count, bytes[start + name.count] == UInt8(ascii: ":") else { return false }
        for index in name.indices where ByteSearch.lowercased(bytes[start + index]) != name[index] { return false }
        return true
    }

    /// The field lines without the fields of one name; `removed` is called with the value of each removed field.
    private static func without(
        _ name: [UInt8], _ bytes: Span<UInt8>, from start: Int, _ removed: (ArraySlice<UInt8>) -> Void = { _ in }
    ) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count - start + 256)
        var at = start
        while at < bytes.count {
            let end = min(ByteSearch.byte(0x0A, in: bytes, from: at, to: bytes.count) + 1, bytes.count)
            if isLine(name, in: bytes, at: at) {
                removed([UInt8](bytes.extracting(at..<end)).dropFirst(name.count + 1))
            } else {
                lines.append(bytes, at..<end)
            }
            at = end
        }
        return lines
    }

    /// The client's cookie of that name goes, and the others stay in one field (RFC 6265 5.4).
    private func withCookie(_ bytes: Span<UInt8>, from start: Int) -> [UInt8] {
        var pairs: [[UInt8]] = []
        let others = Self.without(Self.cookie, bytes, from: start) { value in
            for pair in value.split(separator: UInt8(ascii: ";")) {
                let pair = Array(pair).trimmed
                if !pair.isEmpty, Array(pair.prefix { $0 != UInt8(ascii: "=") }).trimmed != name { pairs.append(pair) }
            }
        }
        let list = (pairs + [text]).joined(separator: Array("; ".utf8))
        return others + Array("Cookie: ".utf8) + list + Array("\r\n".utf8)
    }

    /// The client's parameters of that name go.
    private func withParameter(_ head: [UInt8]) -> [UInt8] {
        let first = head.firstIndex(of: 0x20) ?? head.startIndex
        let target = head[first...].dropFirst().prefix { $0 != 0x20 }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        // OPTIONS * has no query.
        if path.elementsEqual([UInt8(ascii: "*")]) { return head }
        var parameters = target[path.endIndex...].dropFirst().split(separator: UInt8(ascii: "&")).filter {
            FormCoding.decoded(Array($0.prefix { $0 != UInt8(ascii: "=") })) != name
        }
        parameters.append(text[...])
        return head[..<path.endIndex] + [UInt8(ascii: "?")] + parameters.joined(separator: [UInt8(ascii: "&")])
            + head[target.endIndex...]
    }

    /// The same bytes without it, for records.
    func hidden(in head: [UInt8]) -> [UInt8] {
        var hidden: [UInt8] = []
        hidden.reserveCapacity(head.count)
        let bytes = head.span
        var rest = 0
        while rest < bytes.count {
            let next = ByteSearch.byte(secret[0], in: bytes, from: rest, to: bytes.count)
            hidden += head[rest..<next]
            guard next < bytes.count else { break }
            let isSecret =
                next + secret.count <= bytes.count && head[next..<next + secret.count].elementsEqual(secret)
            if isSecret { hidden += mask } else { hidden.append(head[next]) }
            rest = next + (isSecret ? secret.count : 1)
        }
        return hidden
    }
}

extension [UInt8] {
    /// Without blanks at its ends.
    fileprivate var trimmed: [UInt8] {
        Array(drop { ByteSearch.isSpace($0) }.reversed().drop { ByteSearch.isSpace($0) }.reversed())
    }
}

extension Buffer {
    /// Puts other text for that from `mark` on; false if it does not fit.
    mutating func replace(from mark: Int, with text: [UInt8]) -> Bool {
        truncate(to: mark)
        // A stream's output is small at first, and framing follows.
        let wanted = text.count + 512
        if room < wanted, count + wanted <= Limits.bufferSize { grow(by: wanted) }
        return appendWhole(text)
    }
}
