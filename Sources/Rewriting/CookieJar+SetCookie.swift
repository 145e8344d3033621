internal import Bytes
internal import HTTP

extension CookieJar {
    /// Appends what begins the name of a cookie in a jar.
    static func append(_ kind: Kind, of jar: String?, to out: inout Buffer) -> Bool {
        out.appendWhole(CookieName.own) && append(jar: jar, to: &out) && append(kind, to: &out)
    }

    /// The same for a jar that a client named; an empty range is the common one.
    static func append(_ kind: Kind, of jar: Range<Int>, in bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        guard out.appendWhole(CookieName.own) else { return false }
        return (jar.isEmpty ? out.appendWhole(common) : out.appendWhole(bytes.extracting(jar)))
            && append(kind, to: &out)
    }

    private static func append(_ kind: Kind, to out: inout Buffer) -> Bool {
        switch kind {
        case .hidden: out.appendWhole("~h~")
        case .visible(let scope):
            out.appendWhole(scope < partitioned ? "~v" : "~p") && append(labelsOf: scope, to: &out)
                && out.appendWhole("~")
        }
    }

    static func append(jar: String?, to out: inout Buffer) -> Bool {
        guard var jar else { return out.appendWhole(common) }
        // In place, or on the stack for a short name.
        return jar.withUTF8 { name in
            guard name.count <= out.room else { return false }
            out.append(UnsafeRawBufferPointer(name))
            return true
        }
    }

    static func append(labelsOf scope: Int, to out: inout Buffer) -> Bool {
        let labels = scope % partitioned
        return labels == 0 || HeadWriter.append(decimal: UInt64(labels), to: &out)
    }

    /// Appends an origin's Set-Cookie as it is kept in the environment's jar, or nothing and false.
    ///
    /// A client has one cookie of a name, path and domain, whether scripts may read it or not. So a cookie that is set
    /// as one kind is deleted as the other, and one that an origin deletes is deleted under all of its names.
    static func append(
        _ plan: SetCookiePlan, _ field: Field, from bytes: Span<UInt8>, settings: RewriteRules.Settings,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Bool {
        let labels = plan.domain.map { CookieDomain.labels(in: authority, $0) } ?? 0
        let scope = (labels <= maxLabels ? labels : 0) + (plan.isPartitioned ? partitioned : 0)
        let isHidden =
            plan.isHTTPOnly || labels > maxLabels
            || CookieName.needsEscape(bytes, plan.cookie.name, client: client)
        let twin = SetCookieLine.Spelling.jar(.visible(scope))
        let lines: (SetCookieLine, SetCookieLine, SetCookieLine)
        if isHidden {
            lines = (
                SetCookieLine(spelling: twin, erases: true, isRoot: true),
                SetCookieLine(erases: true, isRoot: true), SetCookieLine(spelling: .jar(.hidden))
            )
        } else {
            lines = (
                SetCookieLine(spelling: .jar(.hidden), erases: true), SetCookieLine(isRoot: true),
                SetCookieLine(spelling: twin, isRoot: true, isHidden: true)
            )
        }
        let mark = out.count
        for line in [lines.0, lines.1, lines.2] {
            guard
                line.append(
                    plan, field, from: bytes, settings: settings, authority: authority, client: client, to: &out)
            else {
                out.truncate(to: mark)
                return false
            }
        }
        // Other hosts of the domain, or the same one below another site, see the cookie, and may not have seen whose it
        // is.
        guard isHidden || scope == 0 || appendMarker(scope, settings, authority, client, to: &out) else {
            out.truncate(to: mark)
            return false
        }
        return true
    }
}
