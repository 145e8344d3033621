public import Bytes
public import HTTP

extension CORSRules {
    /// Fields of an origin's response that do not go on: the rules decide, and Vary is merged.
    public static var responseNames: FieldNameSet {
        [
            .accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlAllowMethods,
            .accessControlAllowHeaders, .accessControlExposeHeaders, .accessControlMaxAge,
            .accessControlAllowPrivateNetwork, .vary,
        ]
    }

    /// Appends the field lines that let a page read a response (Fetch, CORS protocol), or nothing and false.
    ///
    /// They stand for the origin's fields of ``responseNames``. Vary is there whether a page asks or not: a cache must
    /// not send one page the response for another.
    public func appendResponse(
        requestFields: [Field], from requestBytes: Span<UInt8>, responseFields: [Field],
        from responseBytes: Span<UInt8>, to out: inout Buffer
    ) -> Bool {
        let mark = out.count
        if let origin = allowedOrigin(requestFields, requestBytes) {
            guard appendReader(origin, requestBytes, to: &out),
                exposedHeaders.isEmpty || Self.append(.accessControlExposeHeaders, exposedHeaders, to: &out)
            else {
                out.truncate(to: mark)
                return false
            }
        }
        guard Self.appendVary(responseFields, from: responseBytes, to: &out) else {
            out.truncate(to: mark)
            return false
        }
        return true
    }

    /// Appends what the origin's response varies by, and Origin; or a part of it and false.
    private static func appendVary(
        _ fields: [Field], from bytes: Span<UInt8>, to out: inout Buffer
    ) -> Bool {
        var namesOrigin = false
        for field in fields where field.id == .vary {
            var start = field.value.lowerBound
            while start < field.value.upperBound {
                let stop = CookieText.first(0x2C, in: bytes, start..<field.value.upperBound)
                let name = CookieText.trimmed(bytes, start..<stop)
                if name.count == 1, bytes[name.lowerBound] == 0x2A { return out.appendWhole("Vary: *\r\n") }
                if CookieText.spells(bytes, name, "origin") { namesOrigin = true }
                start = stop + 1
            }
        }
        var isFirst = true
        for field in fields where field.id == .vary && !field.value.isEmpty {
            guard out.appendWhole(isFirst ? "Vary: " : ", "), out.appendWhole(bytes.extracting(field.value)) else {
                return false
            }
            isFirst = false
        }
        return namesOrigin ? out.appendWhole("\r\n") : out.appendWhole(isFirst ? "Vary: Origin\r\n" : ", Origin\r\n")
    }
}
