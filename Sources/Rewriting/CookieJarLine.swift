internal import Bytes

extension CookieJar {
    /// A Set-Cookie line of Shunt's own.
    struct Line {
        enum Place {
            /// Under its own name, which the client has already or is to have.
            case plain, spelled
            /// In the jar of the request's environment, or in another one that the client named.
            case own, other(Range<Int>)
        }

        /// What a line takes besides its name and value, roughly.
        static var usualLength: Int { 100 }

        let place: Place
        let name: Range<Int>
        /// nil deletes it.
        let value: Range<Int>?
        let scope: Int

        /// Appends a part of the line or all of it; false if it does not fit.
        ///
        /// A cookie of no twin may be partitioned, as a script has made it: it is deleted as either.
        func append(
            from bytes: Span<UInt8>, _ settings: RewriteRules.Settings, _ authority: Span<UInt8>,
            _ client: ClientName, to out: inout Buffer
        ) -> Bool {
            guard append(scope, from: bytes, settings, authority, client, to: &out) else { return false }
            guard case .spelled = place, value == nil, scope == 0, client.isSecure else { return true }
            return append(CookieJar.partitioned, from: bytes, settings, authority, client, to: &out)
        }

        private func append(
            _ scope: Int, from bytes: Span<UInt8>, _ settings: RewriteRules.Settings, _ authority: Span<UInt8>,
            _ client: ClientName, to out: inout Buffer
        ) -> Bool {
            let isPartitioned = scope >= CookieJar.partitioned
            guard out.appendWhole("Set-Cookie: ") else { return false }
            var isPlain = false
            switch place {
            case .plain:
                isPlain = true
                guard CookieName.append(plain: name, of: bytes, client: client, to: &out) else { return false }
            case .spelled:
                isPlain = true
                guard out.appendWhole(bytes.extracting(name)) else { return false }
            case .own:
                guard CookieJar.append(.visible(scope), of: settings.jar, to: &out),
                    out.appendWhole(bytes.extracting(name))
                else { return false }
            case .other(let jar):
                guard CookieJar.append(.visible(scope), of: jar, in: bytes, to: &out),
                    out.appendWhole(bytes.extracting(name))
                else { return false }
            }
            guard out.appendWhole("="),
                value.map({ out.appendWhole(bytes.extracting($0)) }) ?? (!name.isEmpty || out.appendWhole("-")),
                out.appendWhole(isPlain ? "; Path=/" : "; Path=/; HttpOnly"),
                // What sites embed is from another site, where no cookie with Lax is set or deleted.
                out.appendWhole(isPartitioned ? "; SameSite=None; Partitioned" : "; SameSite=Lax"),
                CookieJar.appendDomain(scope, authority, client, to: &out),
                !(client.isSecure || isPartitioned) || out.appendWhole("; Secure")
            else { return false }
            // A twin outlives the session: its plain cookie may, and then it must be known whose it is.
            return out.appendWhole(value == nil ? "; Max-Age=0\r\n" : isPlain ? "\r\n" : "; Max-Age=34560000\r\n")
        }
    }

    /// Appends the line that says whose the plain cookies of a scope are, or a part of it and false.
    ///
    /// Where it can be, it is sent with requests from other sites too, as the cookies may be that it tells about.
    static func appendMarker(
        _ scope: Int, _ settings: RewriteRules.Settings, _ authority: Span<UInt8>, _ client: ClientName,
        to out: inout Buffer
    ) -> Bool {
        out.appendWhole(scope < partitioned ? "Set-Cookie: shunt~env" : "Set-Cookie: shunt~envp")
            && append(labelsOf: scope, to: &out) && out.appendWhole("=")
            && append(jar: settings.jar, to: &out) && out.appendWhole("; Path=/; HttpOnly")
            && appendDomain(scope, authority, client, to: &out)
            && (scope < partitioned || out.appendWhole("; Partitioned"))
            && out.appendWhole(
                client.isSecure || scope >= partitioned ? "; SameSite=None; Secure\r\n" : "; SameSite=Lax\r\n")
    }

    static func appendDomain(
        _ scope: Int, _ authority: Span<UInt8>, _ client: ClientName, to out: inout Buffer
    ) -> Bool {
        guard let domain = domain(scope, authority, client) else { return true }
        return out.appendWhole("; Domain=") && out.appendWhole(authority.extracting(domain))
    }

    /// The last labels of the client's host, where it has as many.
    static func domain(_ scope: Int, _ authority: Span<UInt8>, _ client: ClientName) -> Range<Int>? {
        let scope = scope % partitioned
        guard scope > 0, client.hostLength >= 0, client.hostLength <= authority.count else { return nil }
        var start = client.hostLength
        var labels = 0
        while start > 0 {
            if authority[start - 1] == 0x2E { labels += 1 }
            if labels == scope { break }
            start -= 1
        }
        return start == 0 && labels + 1 != scope ? nil : start..<client.hostLength
    }
}
