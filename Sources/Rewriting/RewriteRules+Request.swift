public import Bytes
public import HTTP

extension RewriteRules {
    /// Appends a request's fields, rewritten for the origin.
    ///
    /// Fields that must not be forwarded are left out (RFC 9110 7.6.1). False if they do not all fit; nothing was
    /// appended then.
    ///
    /// - Parameters:
    ///   - fields: all of the head that lies in `bytes`.
    ///   - dropped: names that are left out, too.
    ///   - authority: the request's, as the client sent it.
    public func append(
        requestFields fields: [Field], dropping dropped: FieldNameSet, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        let mark = out.count
        var made: RewriteChanges = []
        guard
            copy(
                requestFields: fields, dropping: dropped, from: bytes, authority: authority, client: client, to: &out,
                changes: &made)
        else {
            out.truncate(to: mark)
            return false
        }
        changes.formUnion(made)
        guard settings.usesJars else { return true }
        if appendJar(requestFields: fields, from: bytes, authority, client, to: &out, changes: &changes) { return true }
        out.truncate(to: mark)
        return false
    }

    /// The environment's cookies can only be determined from all of them together.
    @inline(never)
    private func appendJar(
        requestFields fields: [Field], from bytes: Span<UInt8>, _ authority: Span<UInt8>, _ client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        CookieRewriter.append(
            cookies: fields, from: bytes, settings: settings, authority: authority, client: client, to: &out,
            changes: &changes)
    }

    /// Appends all fields that are rewritten one by one, or a part of them and false.
    @inline(__always)
    private func copy(
        requestFields fields: [Field], dropping dropped: FieldNameSet, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        let map = map
        let dropped = settings.usesJars ? dropped.union([.cookie]) : dropped
        return fields.withUnsafeBufferPointer { fields in
            guard let first = fields.first, let last = fields.last else { return true }
            var copy = HeadCopy(bytes, from: first.line.lowerBound, authority: authority, client: client)
            for field in fields {
                if field.isHopByHop || dropped.contains(field.id) {
                    guard copy.leaveOut(field.line, to: &out) else { return false }
                } else if requestNames.contains(field.id) {
                    guard rewrite(requestField: field, map, in: &copy, to: &out, changes: &changes) else {
                        return false
                    }
                }
            }
            return copy.upTo(last.line.upperBound, to: &out)
        }
    }

    /// Appends a request's field, rewritten for the origin, or nothing if it is dropped.
    ///
    /// False if it does not fit; nothing was appended then.
    package func append(
        requestField field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        append(
            requestFields: [field], dropping: [], from: bytes, authority: authority, client: client, to: &out,
            changes: &changes)
    }

    /// Whether a request's Origin names one of the client's addresses, so that the origin gets its own in its place.
    public func replaces(
        origin field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName
    ) -> Bool {
        var copy = HeadCopy(bytes, from: field.line.lowerBound, authority: authority, client: client)
        return map?.namesClient(field.value, in: &copy) ?? false
    }

    /// A field that is in ``requestNames``, in a head that is being copied.
    @inline(__always)
    private func rewrite(
        requestField field: Field, _ map: AddressMap?, in copy: inout HeadCopy, to out: inout Buffer,
        changes: inout RewriteChanges
    ) -> Bool {
        if field.id == .cookie {
            return CookieRewriter.rewrite(withoutJars: field, in: &copy, to: &out, changes: &changes)
        }
        guard let map else { return true }
        copy.isChanged = false
        let change: RewriteChanges
        switch field.id {
        case .origin:
            change = .origin
            guard map.rewriteForOrigin(.origin, field.value, in: &copy, to: &out) else { return false }
        case .referer:
            change = .referer
            guard map.rewriteReferer(field.value, in: &copy, to: &out) else { return false }
        case .destination:
            change = .destination
            guard map.rewriteForOrigin(.reference, field.value, in: &copy, to: &out) else { return false }
        default:
            change = .requestFields
            guard map.rewriteAny(request: field, in: &copy, to: &out) else { return false }
        }
        if copy.isChanged { changes.insert(change) }
        return true
    }

    /// Appends a request's path and query, with the addresses in its query as the origin has them; false if it does not
    /// fit.
    ///
    /// A replaced address never is empty, so that no other name or value of a parameter results than the guard has seen.
    public func append(
        target: Range<Int>, query: Range<Int>, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard let map, !authority.isEmpty, AddressTable.mayHold(bytes, query) else {
            return out.appendWhole(bytes.extracting(target))
        }
        var copy = HeadCopy(bytes, from: target.lowerBound, authority: authority, client: client)
        guard map.forOrigin(authority, client).rewrite(query, in: &copy, to: &out),
            copy.upTo(target.upperBound, to: &out)
        else { return false }
        if copy.isChanged { changes.insert(.query) }
        return true
    }
}
