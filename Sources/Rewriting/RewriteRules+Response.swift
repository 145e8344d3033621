public import Bytes
public import HTTP
import Synchronization

extension RewriteRules {
    /// Appends a response's fields, rewritten for the client.
    ///
    /// Fields that must not be forwarded are left out (RFC 9110 7.6.1). False if they do not all fit; nothing was
    /// appended then.
    ///
    /// - Parameters:
    ///   - fields: all of the head that lies in `bytes`.
    ///   - dropped: names that are left out, too.
    ///   - page: the request's Origin field, which lies in `requestBytes`.
    ///   - authority: the request's, as the client sent it.
    public func append(
        responseFields fields: [Field], dropping dropped: FieldNameSet, from bytes: Span<UInt8>, to page: Field?,
        of requestBytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName, to out: inout Buffer,
        changes: inout RewriteChanges
    ) -> Bool {
        let mark = out.count
        var made: RewriteChanges = []
        // Retained once for all fields.
        let (map, addresses) = (map, settings.addresses)
        let fits = fields.withUnsafeBufferPointer { fields in
            guard let first = fields.first, let last = fields.last else { return true }
            var copy = HeadCopy(bytes, from: first.line.lowerBound, authority: authority, client: client)
            for field in fields {
                if field.isHopByHop || dropped.contains(field.id) {
                    guard copy.leaveOut(field.line, to: &out) else { return false }
                } else if responseNames.contains(field.id) {
                    copy.isChanged = false
                    let fits =
                        if field.id == .accessControlAllowOrigin, let page,
                            map?.isOrigin(page.value, of: requestBytes, field.value, in: copy) ?? false
                        {
                            copy.replace(field.value, by: requestBytes, page.value, to: &out)
                        } else {
                            rewrite(responseField: field, map, addresses, in: &copy, to: &out)
                        }
                    guard fits else { return false }
                    if copy.isChanged { made.insert(field.id.change) }
                }
            }
            return copy.upTo(last.line.upperBound, to: &out)
        }
        guard fits else {
            out.truncate(to: mark)
            return false
        }
        changes.formUnion(made)
        return true
    }

    /// Appends a response's field, rewritten for the client, or nothing if it is dropped.
    ///
    /// False if it does not fit; nothing was appended then.
    package func append(
        responseField field: Field, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        append(
            responseFields: [field], dropping: [], from: bytes, to: nil, of: bytes, authority: authority,
            client: client, to: &out, changes: &changes)
    }

    /// Whether a response allows only the page of the request, under the name that was sent to the origin.
    ///
    /// One origin may stand behind several of the client's hosts; then only the request tells which one is meant.
    package func allows(
        page: Field, from requestBytes: Span<UInt8>, by field: Field, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName
    ) -> Bool {
        map?.isOrigin(
            page.value, of: requestBytes, field.value,
            in: HeadCopy(bytes, from: field.line.lowerBound, authority: authority, client: client)) ?? false
    }

    /// A field that is in ``responseNames``, in a head that is being copied.
    @inline(__always)
    private func rewrite(
        responseField field: Field, _ map: AddressMap?, _ addresses: AddressMap?, in copy: inout HeadCopy,
        to out: inout Buffer
    ) -> Bool {
        switch field.id {
        case .setCookie:
            if rewritesSingleCookies,
                let fits = CookieRewriter.rewrite(ordinary: field, addresses, in: &copy, to: &out)
            {
                return fits
            }
            return rewrite(unusualCookie: field, in: &copy, to: &out)
        case .contentSecurityPolicy: return rewrite(repeated: field, policy, map, in: &copy, to: &out)
        case .contentSecurityPolicyReportOnly:
            return rewrite(repeated: field, reportOnlyPolicy, map, in: &copy, to: &out)
        case .link: return rewrite(repeated: field, links, map, in: &copy, to: &out)
        case .location, .contentLocation: return map?.rewriteLocation(field.value, in: &copy, to: &out) ?? true
        case .other, .wwwAuthenticate: return map?.rewriteAny(field, in: &copy, to: &out) ?? true
        case .clearSiteData where !settings.removesClearSiteData:
            return CookieJar.rewrite(clearSiteData: field, in: &copy, to: &out)
        case .accessControlAllowOrigin:
            return map?.rewriteForClient(.origin, field.value, in: &copy, to: &out) ?? true
        case .refresh: return map?.rewriteRefresh(field.value, in: &copy, to: &out) ?? true
        default:
            // All others pin clients to an address, or clear what other origins have stored.
            return copy.leaveOut(field.line, to: &out)
        }
    }

    /// A field that most responses repeat; a caller that finds the cache in use does not use it.
    private func rewrite(
        repeated field: Field, _ memo: borrowing Mutex<FieldCache>, _ map: AddressMap?, in copy: inout HeadCopy,
        to out: inout Buffer
    ) -> Bool {
        if let known = memo.withLockIfAvailable({ $0.rewrite(field, in: &copy, to: &out) }), let known { return known }
        let start = out.count &+ (field.value.lowerBound &- copy.position)
        let fits =
            field.id == .link
            ? map?.rewriteLink(field.value, in: &copy, to: &out) ?? true
            : SecurityPolicy(map: map, removesPins: settings.removesPins).rewrite(field, in: &copy, to: &out)
        guard fits, !copy.isChanged || copy.upTo(field.value.upperBound, to: &out) else { return false }
        _ = memo.withLockIfAvailable { $0.remember(field, copy, in: out, from: start) }
        return true
    }

    /// Out of line, since all settings are retained here.
    @inline(never)
    private func rewrite(unusualCookie field: Field, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        CookieRewriter.rewrite(setCookie: field, settings: settings, in: &copy, to: &out)
    }
}
