public import Bytes
public import HTTP

extension CORSRules {
    /// Appends the field lines of the response to a preflight (Fetch, CORS protocol), or nothing and false.
    ///
    /// A page that is not allowed gets only Vary, so that its browser refuses the request.
    public func appendPreflight(requestFields: [Field], from bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        let mark = out.count
        guard appendPermission(requestFields, bytes, to: &out),
            out.appendWhole(
                "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n")
        else {
            out.truncate(to: mark)
            return false
        }
        return true
    }

    /// The origin of a request whose page is allowed.
    func allowedOrigin(_ fields: [Field], _ bytes: Span<UInt8>) -> Range<Int>? {
        guard let origin = fields.first(where: { $0.id == .origin })?.value,
            allows(origin: bytes.extracting(origin))
        else { return nil }
        return origin
    }

    /// Appends the fields that name the allowed page, or a part of them and false.
    func appendReader(_ origin: Range<Int>, _ bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        HeadWriter.appendField(.accessControlAllowOrigin, bytes.extracting(origin), to: &out)
            && (!allowsCredentials || out.appendWhole("Access-Control-Allow-Credentials: true\r\n"))
    }

    private func appendPermission(_ fields: [Field], _ bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        guard let origin = allowedOrigin(fields, bytes) else { return true }
        guard appendReader(origin, bytes, to: &out),
            append(.accessControlAllowMethods, methods, or: .accessControlRequestMethod, fields, bytes, to: &out),
            append(.accessControlAllowHeaders, headers, or: .accessControlRequestHeaders, fields, bytes, to: &out),
            out.appendWhole("Access-Control-Max-Age: "),
            HeadWriter.append(decimal: UInt64(max(maxAge, 0)), to: &out), out.appendWhole("\r\n")
        else { return false }
        // Of a page on a public address that asks for one on this machine (Private Network Access).
        guard let network = fields.first(where: { $0.id == .accessControlRequestPrivateNetwork }),
            CookieText.spells(bytes, network.value, "true")
        else { return true }
        return out.appendWhole("Access-Control-Allow-Private-Network: true\r\n")
    }

    /// Appends the list, or the requested names if it is empty; no line without any.
    private func append(
        _ name: FieldName, _ list: [String], or asked: FieldName, _ fields: [Field], _ bytes: Span<UInt8>,
        to out: inout Buffer
    ) -> Bool {
        if !list.isEmpty { return Self.append(name, list, to: &out) }
        var length = 0
        for field in fields where field.id == asked { length += field.value.count }
        guard length > 0, length <= Self.maxEchoed else { return true }
        var isFirst = true
        for field in fields where field.id == asked && !field.value.isEmpty {
            guard isFirst ? out.appendWhole(name.text) && out.appendWhole(": ") : out.appendWhole(", "),
                out.appendWhole(bytes.extracting(field.value))
            else { return false }
            isFirst = false
        }
        return out.appendWhole("\r\n")
    }

    /// Appends a line with all elements of a list, or a part of it and false.
    static func append(_ name: FieldName, _ list: [String], to out: inout Buffer) -> Bool {
        guard out.appendWhole(name.text) else { return false }
        var isFirst = true
        for element in list {
            guard out.appendWhole(isFirst ? ": " : ", "), append(element, to: &out) else { return false }
            isFirst = false
        }
        return out.appendWhole("\r\n")
    }

    private static func append(_ text: String, to out: inout Buffer) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count <= out.room else { return false }
            out.append(UnsafeRawBufferPointer(bytes))
            return true
        }
    }
}
