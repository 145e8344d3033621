import Bytes
import HTTP
import Rewriting

// Heads on their way: what is taken out, what is put in. Everything else is copied in runs as it came.
extension ClientExchange {
    /// Fields of a request that are written anew, or concern Shunt alone.
    private static let replacedFields: FieldNameSet = [.host, .shuntProfile]
    private static let ownFields: FieldNameSet = [.shuntAnsweredBy]

    /// How the client named Shunt.
    var clientName: ClientName {
        let (host, authority) = (request.host, request.authority)
        // An IPv6 literal's brackets belong to the authority only.
        let bracket = host.lowerBound - authority.lowerBound
        return ClientName(
            isSecure: isSecure, hostLength: host.upperBound - authority.lowerBound + bracket, labelLength: labelLength)
    }

    /// Puts the request's head as the origin is to see it into `output`; false if it does not fit.
    func appendRequest(to output: inout Buffer, _ plan: OriginPlan, _ use: OriginUse) -> Bool {
        let bytes = headBytes
        var fits = output.appendWhole(bytes.extracting(request.methodRange)) && output.appendWhole(" ")
        if request.targetForm == .asterisk || asksOptionsOfServer {
            fits = fits && output.appendWhole("*")
        } else {
            fits = fits && output.appendWhole(plan.basePath)
            // An absolute-form target may lack a path; the origin must be sent "/" (RFC 9112 3.2.1).
            if request.path.isEmpty { fits = fits && output.appendWhole("/") }
            fits = fits && output.appendWhole(bytes.extracting(request.pathAndQuery))
        }
        fits = fits && output.appendWhole(" HTTP/1.1\r\n")
        if use.preserveHost {
            let authority = request.authority.lowerBound + labelLength..<request.authority.upperBound
            fits =
                fits && output.appendWhole("Host: ") && output.appendWhole(bytes.extracting(authority))
                && output.appendWhole("\r\n")
        } else {
            fits = fits && output.appendWhole(plan.hostLine)
        }
        fits = fits && appendRequestFields(from: bytes, to: &output, use)
        // RFC 9110 7.6.3: a gateway says that it was there.
        fits = fits && output.appendWhole(channel.isStream ? "Via: 2 shunt\r\n" : "Via: 1.1 shunt\r\n")
        if requestEncoding == .chunked { fits = fits && output.appendWhole("Transfer-Encoding: chunked\r\n") }
        if asksForUpgrade {
            fits =
                fits && output.appendWhole("Connection: Upgrade\r\nUpgrade: ")
                && output.appendWhole(bytes.extracting(request.upgradeRange)) && output.appendWhole("\r\n")
        } else if request.acceptsTrailers {
            fits = fits && output.appendWhole("Connection: TE\r\nTE: trailers\r\n")
        }
        return fits && output.appendWhole("\r\n")
    }

    private func appendRequestFields(from bytes: Span<UInt8>, to output: inout Buffer, _ use: OriginUse) -> Bool {
        var dropped = Self.replacedFields
        // The head of a tunnel has no length, not even 0, where the origin speaks HTTP/2.
        if asksForUpgrade { dropped.insert(.contentLength) }
        if let hops = maxForwards {
            dropped.insert(.maxForwards)
            guard output.appendWhole(Array("Max-Forwards: \(hops - 1)\r\n".utf8)) else { return false }
        }
        // Who has the content already has said so to the client.
        if held != nil { dropped.insert(.expect) }
        if use.bodyMap != nil {
            dropped.insert(.acceptEncoding)
            guard appendAcceptEncoding(to: &output) else { return false }
        }
        guard let rules = use.rules, request.names.meets(rules.requestNames) else {
            return HeadWriter.appendForwardedFields(of: request.fields, from: bytes, to: &output, dropping: dropped)
        }
        return rules.append(
            requestFields: request.fields, dropping: dropped, from: bytes,
            authority: bytes.extracting(request.authority), client: clientName, to: &output, changes: &notes.changes)
    }

    /// Whether the request may become a tunnel; to be asked while its head is there.
    ///
    /// With content it may not: what of it came after the switch would be taken for the tunnel's bytes. Nor to HTTP/2
    /// (RFC 7540 3.2, given up by RFC 9113), whose requests would pass by all routes.
    func readUpgrade() -> Bool {
        guard request.upgrade && request.framing == .none else { return false }
        return !String(headBytes.extracting(request.upgradeRange)).lowercased().contains("h2c")
    }

    /// How the request's content goes on to an origin that frames it as HTTP/1.1 does.
    var requestEncoding: BodyPump.Encoding {
        switch request.framing {
        case .chunked: .chunked
        case .stream: request.names.contains(.contentLength) ? .identity : .chunked
        case .none, .length, .untilClose, .tunnel: .identity
        }
    }

    /// How the answer's content goes on to the client.
    ///
    /// A body that is rewritten has no length that could be told beforehand.
    func answerEncoding(isRewritten: Bool) -> BodyPump.Encoding {
        if channel.isStream { return answer.framing == .tunnel ? .identity : .stream }
        return switch answer.framing {
        case .chunked, .untilClose: request.version == .http10 ? .identity : .chunked
        case .length: isRewritten && request.version == .http11 ? .chunked : .identity
        // A length that was announced holds, or the stream has failed (RFC 9113 8.1.1).
        case .stream where answer.names.contains(.contentLength) && !isRewritten: .identity
        case .stream: request.version == .http10 ? .identity : .chunked
        case .none, .tunnel: .identity
        }
    }

    /// Puts the answer's head as the client is to see it into the output; false if it does not fit.
    func appendAnswer(from bytes: Span<UInt8>, _ use: OriginUse, isRewritten: Bool) -> Bool {
        channel.reserveOutput(2 * (answer.fields.last?.line.upperBound ?? 0) + 1024)
        let encoding = answerEncoding(isRewritten: isRewritten)
        if encoding == .identity && isEndedByClose(isRewritten: isRewritten) { mustClose = true }
        var fits = HeadWriter.appendStatusLine(
            status: answer.status, reasonFrom: bytes, answer.reason, to: &channel.output)
        fits = fits && appendAnswerFields(from: bytes, use, isRewritten: isRewritten)
        if isRewritten { fits = fits && appendWeakETag(from: bytes) }
        if answer.framing == .tunnel {
            fits = fits && appendUpgrade(from: bytes)
        } else if !answer.isInformational {
            if encoding == .chunked { fits = fits && channel.output.appendWhole("Transfer-Encoding: chunked\r\n") }
            fits = fits && appendConnection()
        }
        if !answer.isInformational || answer.framing == .tunnel {
            fits =
                fits
                && (notes.hops.isEmpty
                    ? channel.output.appendWhole(use.answeredBy)
                    : channel.output.appendWhole(withHops(use.answeredBy)))
        }
        return fits && channel.output.appendWhole("\r\n")
    }

    /// Without a length an HTTP/1.0 client knows the end by the connection's.
    private func isEndedByClose(isRewritten: Bool) -> Bool {
        switch answer.framing {
        case .chunked, .untilClose: true
        case .stream: isRewritten || !answer.names.contains(.contentLength)
        case .length: isRewritten
        case .none, .tunnel: false
        }
    }

    private func appendAnswerFields(from bytes: Span<UInt8>, _ use: OriginUse, isRewritten: Bool) -> Bool {
        var dropped = Self.ownFields
        if isRewritten { dropped = dropped.union(BodyRewriter.droppedFields).union([.etag]) }
        guard let rules = use.rules else {
            return HeadWriter.appendForwardedFields(
                of: answer.fields, from: bytes, to: &channel.output, dropping: dropped)
        }
        let cors = answer.isInformational ? nil : cors ?? rules.settings.cors
        if cors != nil { dropped = dropped.union(CORSRules.answerNames) }
        let head = headBytes
        if rules.settings.usesJars, !answer.isInformational,
            !CookieRewriter.appendJarFields(
                requestFields: request.fields, from: head, settings: rules.settings,
                authority: head.extracting(request.authority), client: clientName, to: &channel.output,
                changes: &notes.changes)
        {
            return false
        }
        guard appendFields(from: bytes, to: head, rules, dropping: dropped) else { return false }
        guard let cors else { return true }
        notes.changes.insert(.cors)
        return cors.appendAnswer(
            requestFields: request.fields, from: head, answerFields: answer.fields, from: bytes, to: &channel.output)
    }

    /// The origin's fields, rewritten where there is something to rewrite; `head` is the request's.
    private func appendFields(
        from bytes: Span<UInt8>, to head: Span<UInt8>, _ rules: RewriteRules, dropping dropped: FieldNameSet
    ) -> Bool {
        guard answer.names.meets(rules.answerNames) else {
            return HeadWriter.appendForwardedFields(
                of: answer.fields, from: bytes, to: &channel.output, dropping: dropped)
        }
        // Who asks is looked for where an answer says who may read it, and not else.
        let isRestricted = answer.names.contains(.accessControlAllowOrigin) && request.names.contains(.origin)
        return rules.append(
            answerFields: answer.fields, dropping: dropped, from: bytes,
            to: isRestricted ? request.fields.first { $0.id == .origin } : nil,
            of: head, authority: head.extracting(request.authority), client: clientName, to: &channel.output,
            changes: &notes.changes)
    }

    /// 101 names what the connection becomes; both fields are hop-by-hop and so were left out.
    private func appendUpgrade(from bytes: Span<UInt8>) -> Bool {
        guard channel.output.appendWhole("Connection: Upgrade\r\n") else { return false }
        guard let upgrade = answer.field(.upgrade) else { return true }
        return channel.output.appendWhole(bytes.extracting(upgrade.line))
    }
}
