import Redaction

let redactor = Redactor(key: Array("a key of this store".utf8))

/// The text with every digest written as `#`.
func shortened(_ bytes: [UInt8]) -> String { shortened(String(decoding: bytes, as: UTF8.self)) }

func shortened(_ text: String) -> String {
    var out = text
    for match in text.matches(of: /redacted(?::|%3A)[a-z0-9_-]+(?::|%3A)([0-9a-f]{10})/).reversed() {
        out.replaceSubrange(match.output.1.startIndex..<match.output.1.endIndex, with: "#")
    }
    return out
}

/// The digests in a text, in their order.
func digests(in text: String) -> [String] {
    text.matches(of: /redacted(?::|%3A)[a-z0-9_-]+(?::|%3A)([0-9a-f]{10})/).map { String($0.output.1) }
}

/// A body redacted in pieces of `size` bytes.
func redact(
    _ body: [UInt8], as type: String?, by redactor: Redactor = redactor, piece size: Int = .max
) -> [UInt8] {
    var redaction = redactor.body(contentType: type)
    var out: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
        out += redaction.redact(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
    }
    return out + redaction.finish()
}

func redact(
    _ body: String, as type: String?, by redactor: Redactor = redactor, piece size: Int = .max
) -> String {
    String(decoding: redact(Array(body.utf8), as: type, by: redactor, piece: size), as: UTF8.self)
}

extension Redactor {
    /// A query without its question mark.
    func redact(query: String) -> String { String(redact(url: "?" + query).dropFirst()) }
}

/// A token whose header and claims are these, in base64url, with a signature.
func token(header: String = #"{"alg":"HS256","typ":"JWT"}"#, claims: String, signature: String = "c2lnbmF0dXJl")
    -> String
{
    [base64URL(header), base64URL(claims), signature].joined(separator: ".")
}

func base64URL(_ text: String) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    return String(
        stride(from: 0, to: bits.count, by: 6).map { start in
            letters[(0..<6).reduce(0) { $0 << 1 | (start + $1 < bits.count ? Int(bits[start + $1]) : 0) }]
        })
}
