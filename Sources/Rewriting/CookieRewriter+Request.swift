public import Bytes
public import HTTP

extension CookieRewriter {
    /// Appends a request's Cookie fields as the environment's origin is to see them, or nothing if no cookie is left.
    ///
    /// All of them at once: HTTP/2 clients send a field for each cookie (RFC 9113 8.2.3), and which of them are the
    /// environment's shows in all together. Fields of other names are passed over. Without a cookie of Shunt each line
    /// goes on byte for byte.
    public static func append(
        cookies fields: [Field], from bytes: Span<UInt8>, settings: RewriteRules.Settings, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        if settings.usesJars {
            let mark = out.count
            guard fields.contains(where: { $0.id == .cookie }) else { return true }
            let jar = CookieJar(fields, from: bytes, settings: settings)
            if !jar.isUnchanged(in: bytes) {
                guard jar.appendRequest(from: bytes, settings: settings, to: &out) else {
                    out.truncate(to: mark)
                    return false
                }
                changes.insert(.cookie)
                return true
            }
        }
        return append(
            withoutJars: fields, from: bytes, authority: authority, client: client, to: &out, changes: &changes)
    }

    /// The same for one Cookie field.
    ///
    /// With jars it must be the only one of the request.
    public static func append(
        cookie field: Field, from bytes: Span<UInt8>, settings: RewriteRules.Settings, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard settings.usesJars else {
            return append(
                withoutJars: [field], from: bytes, authority: authority, client: client, to: &out, changes: &changes)
        }
        return append(
            cookies: [field], from: bytes, settings: settings, authority: authority, client: client, to: &out,
            changes: &changes)
    }

    /// Appends the Set-Cookie lines of Shunt's own that a response needs, in front of those of the origin.
    ///
    /// The request's cookies tell what the client has. There is nothing to say without jars.
    ///
    /// - Parameter path: the request's, where the response asks for the environment's cookies to be deleted.
    public static func appendJarFields(
        requestFields fields: [Field], from bytes: Span<UInt8>, settings: RewriteRules.Settings,
        authority: Span<UInt8>, client: ClientName, clearing path: Range<Int>? = nil, to out: inout Buffer,
        changes: inout RewriteChanges
    ) -> Bool {
        guard settings.usesJars else { return true }
        let mark = out.count
        let jar = CookieJar(fields, from: bytes, settings: settings)
        guard
            jar.appendResponse(
                from: bytes, settings: settings, authority: authority, client: client, clearing: path, to: &out)
        else {
            out.truncate(to: mark)
            return false
        }
        if out.count > mark { changes.insert(.setCookie) }
        return true
    }

    /// Whether a response's Clear-Site-Data asks for the environment's cookies to be deleted.
    public static func clears(_ field: Field, from bytes: Span<UInt8>, settings: RewriteRules.Settings) -> Bool {
        settings.usesJars && !settings.removesClearSiteData && CookieJar.clears(bytes, field.value)
    }

    /// The same where no profile has a jar.
    private static func append(
        withoutJars fields: [Field], from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        let mark = out.count
        var made: RewriteChanges = []
        for field in fields where field.id == .cookie {
            var copy = HeadCopy(bytes, from: field.line.lowerBound, authority: authority, client: client)
            guard rewrite(withoutJars: field, in: &copy, to: &out, changes: &made),
                copy.upTo(field.line.upperBound, to: &out)
            else {
                out.truncate(to: mark)
                return false
            }
        }
        changes.formUnion(made)
        return true
    }

    /// The same in a head that is being copied.
    @inline(__always)
    static func rewrite(
        withoutJars field: Field, in copy: inout HeadCopy, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard hasOwn(field.value, in: copy.bytes) else { return true }
        changes.insert(.cookie)
        return copy.leaveOut(field.line, to: &out) && appendOthers(field, from: copy.bytes, to: &out)
    }

    /// Whether a cookie's name is one that Shunt uses.
    private static func hasOwn(_ value: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        var semicolons = ByteCursor(0x3B, value, of: bytes)
        var start = value.lowerBound
        while start < value.upperBound {
            let stop = semicolons.next(bytes)
            let first = AddressText.skipBlanks(bytes, start..<stop)
            // Cheaper than reading a name and value of each: nearly none begins like ours, or with its `=`.
            if first < stop,
                bytes[first] == 0x3D || bytes.word(at: first) & TextWords.mask(5) == TextWords.word(of: "shunt"),
                CookiePair(bytes, first..<stop).isOwn(bytes)
            {
                return true
            }
            start = stop &+ 1
        }
        return false
    }

    /// Appends what is the origin's, or a part of it and false.
    private static func appendOthers(_ field: Field, from bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        var start = field.value.lowerBound
        var isFirst = true
        while start < field.value.upperBound {
            let stop = CookieText.first(0x3B, in: bytes, start..<field.value.upperBound)
            var segment = CookieText.trimmed(bytes, start..<stop)
            start = stop + 1
            if CookieText.begins(bytes, segment, with: CookieName.escape) {
                segment = segment.lowerBound + CookieName.escape.utf8CodeUnitCount..<segment.upperBound
            } else if segment.isEmpty || CookiePair(bytes, segment).isOwn(bytes) {
                continue
            }
            let front = field.line.lowerBound..<field.value.lowerBound
            guard isFirst ? out.appendWhole(bytes.extracting(front)) : out.appendWhole("; "),
                out.appendWhole(bytes.extracting(segment))
            else { return false }
            isFirst = false
        }
        return isFirst || out.appendWhole("\r\n")
    }
}
