import Bytes

/// Bodies of requests: what a response's body had mapped comes back.
extension BodyRewriter {
    /// Parts of a form that are looked at; the rest stays as it is.
    private static let maxParts = 10_000

    /// Whether addresses are looked for in a request's body of a type: in text, and in forms in parts.
    public static func isMapped(request contentType: Span<UInt8>) -> Bool {
        BodyType.isRewritable(contentType) || BodyType.boundary(contentType) != nil
    }

    /// A request's whole body with the client's addresses as the origin has them; nil if it stays as it is.
    ///
    /// A form's files stay. A replaced address is never empty, and has no character that ends a value: names and values
    /// of a form or of JSON stay what they are, apart from the addresses in them.
    public static func forOrigin(
        _ body: [UInt8], contentType: Span<UInt8>, contentEncoding: Span<UInt8>, map: AddressMap, authority: [UInt8],
        client: ClientName
    ) -> [UInt8]? {
        guard !authority.isEmpty else { return nil }
        let table = map.forOrigin(authority.span, client)
        if let boundary = BodyType.boundary(contentType) {
            guard contentEncoding.isEmpty else { return nil }
            return parts(of: body, boundary, table)
        }
        guard BodyType.isRewritable(contentType), let rewriter = BodyRewriter(table, contentEncoding),
            let mapped = rewriter.whole(body)
        else { return nil }
        return rewriter.replacements > 0 ? mapped : nil
    }

    private static func parts(of body: [UInt8], _ boundary: [UInt8], _ table: AddressTable) -> [UInt8]? {
        let delimiter = Array("--".utf8) + boundary
        var result: [UInt8] = []
        var (copied, isChanged) = (0, false)
        var next = find(delimiter, in: body, from: 0)
        for _ in 0..<maxParts {
            guard let start = next.map({ $0 + delimiter.count }) else { break }
            // A delimiter stands at the beginning of a line (RFC 2046 5.1.1).
            next = find(Array("\r\n".utf8) + delimiter, in: body, from: start).map { $0 + 2 }
            guard let end = next.map({ $0 - 2 }),
                let head = find(Array("\r\n\r\n".utf8), in: body, from: start, to: end),
                !isFile(body[start..<head])
            else { continue }
            guard let rewriter = BodyRewriter(table, Span()), let part = rewriter.whole(Array(body[head + 4..<end])),
                rewriter.replacements > 0
            else { continue }
            result += body[copied..<head + 4]
            result += part
            (copied, isChanged) = (end, true)
        }
        return isChanged ? result + body[copied...] : nil
    }

    /// Whether a part has a file, by the fields in front of it.
    private static func isFile(_ head: ArraySlice<UInt8>) -> Bool {
        find(Array("filename".utf8), in: head.map { ByteSearch.lowercased($0) }, from: 0) != nil
    }

    private static func find(_ text: [UInt8], in bytes: [UInt8], from start: Int, to end: Int? = nil) -> Int? {
        let (span, end) = (bytes.span, end ?? bytes.count)
        var index = start
        while index + text.count <= end {
            index = ByteSearch.byte(text[0], in: span, from: index, to: end)
            guard index + text.count <= end else { return nil }
            if (0..<text.count).allSatisfy({ span[index + $0] == text[$0] }) { return index }
            index += 1
        }
        return nil
    }
}
