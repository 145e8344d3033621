import Bytes
import HTTP
import Profiles
import Rewriting

extension OutgoingRequest {
    /// Fields that are written anew, or concern Shunt alone.
    private static let ownFields: FieldNameSet = [.host, .shuntProfile, .shuntSession, .shuntAttach]

    /// Messages that are edited or may be held are not compressed (RFC 7692 5).
    private static let uncompressed = HeaderChanges(remove: ["sec-websocket-extensions"])

    /// Puts the request's head as the origin is to see it into `output`; false if it does not fit.
    func append(to output: inout Buffer) -> Bool {
        let bytes = exchange.headBytes
        let start = output.count
        var fits = appendLine(from: bytes, to: &output)
        let mark = output.count
        var dropped = Self.ownFields
        // The head of a tunnel has no length, not even 0, where the origin speaks HTTP/2.
        if exchange.way.asksForUpgrade { dropped.insert(.contentLength) }
        // Those of the proxy are for it alone (RFC 9110 11.7.2).
        if exchange.state.forward != nil { dropped.insert(.proxyAuthorization) }
        if body != nil { dropped = dropped.union(BodyRewriter.droppedFields) }
        for step in Steps.ofRequests { fits = step.append(to: &output, for: self, replacing: &dropped) && fits }
        fits = fits && appendFields(from: bytes, to: &output, dropping: dropped)
        if exchange.way.asksForUpgrade, exchange.messages.wantsGates {
            fits =
                fits
                && output.replace(from: mark, with: Self.uncompressed.applied(to: Array(output.unsafeBytes[mark...])))
        }
        if let edits = exchange.way.edits { fits = fits && edits.changeRequest(&output, from: mark) }
        if let token = exchange.way.token { fits = fits && token.put(into: &output, from: start, fields: mark) }
        if use.addsVia {
            fits = fits && output.appendVia(head.version, isStream: exchange.client.channel.isStream)
        }
        if let body, head.names.contains(.contentLength) {
            fits =
                fits && output.appendWhole("Content-Length: ")
                && HeadWriter.append(decimal: UInt64(body.count), to: &output) && output.appendWhole("\r\n")
        }
        if hasUnsaidLength { fits = fits && output.appendWhole("Content-Length: 0\r\n") }
        if encoding == .chunked { fits = fits && output.appendWhole("Transfer-Encoding: chunked\r\n") }
        if exchange.way.asksForUpgrade {
            fits =
                fits && output.appendWhole("Connection: Upgrade\r\nUpgrade: ")
                && output.appendWhole(bytes.extracting(head.upgradeRange)) && output.appendWhole("\r\n")
        } else if head.acceptsTrailers || exchange.way.webCall != nil {
            fits = fits && output.appendWhole("Connection: TE\r\nTE: trailers\r\n")
        }
        return fits && output.appendWhole("\r\n")
    }

    /// A stream without a body, where the method lets an origin expect one (RFC 9110 8.6).
    private var hasUnsaidLength: Bool {
        guard exchange.client.channel.isStream, head.framing == .none, !exchange.way.asksForUpgrade,
            !head.names.contains(.contentLength), exchange.body.buffered == nil
        else { return false }
        return !head.method.isSafe && head.method != .delete
    }

    /// The request line and the Host field, which comes first (RFC 9110 7.2).
    private func appendLine(from bytes: Span<UInt8>, to output: inout Buffer) -> Bool {
        var fits = output.appendWhole(bytes.extracting(head.methodRange)) && output.appendWhole(" ")
        if head.targetForm == .asterisk || asksOptionsOfServer {
            fits = fits && output.appendWhole("*")
        } else {
            fits = fits && output.appendWhole(use.origin.basePath)
            fits = fits && append(targetOf: exchange.sent, to: &output)
        }
        fits = fits && output.appendWhole(" HTTP/1.1\r\n")
        guard use.preserveHost else { return fits && output.appendWhole(use.origin.hostLine) }
        return fits && output.appendWhole("Host: ")
            && output.appendWhole(bytes.extracting(exchange.request.namedAuthority))
            && output.appendWhole("\r\n")
    }

    private func append(targetOf sent: OwnedHead, to output: inout Buffer) -> Bool {
        let (bytes, target, start) = (sent.bytes, sent.head.pathAndQuery, sent.head.path.upperBound)
        // An absolute-form target may lack a path; the origin must be sent "/" (RFC 9112 3.2.1).
        if sent.head.path.isEmpty, !output.appendWhole("/") { return false }
        guard start < target.upperBound, use.rules.rewritesAddresses else {
            return output.appendWhole(bytes.extracting(target))
        }
        return use.rules.append(
            target: target, query: start..<target.upperBound, from: bytes,
            authority: exchange.headBytes.extracting(head.authority), client: ClientName(exchange), to: &output,
            changes: &exchange.metrics.changes)
    }

    /// OPTIONS in absolute form without path and query, which the last proxy turns into `*` (RFC 9112 3.2.4).
    private var asksOptionsOfServer: Bool {
        head.method == .options && head.targetForm == .absolute && head.pathAndQuery.isEmpty
    }

    private func appendFields(
        from bytes: Span<UInt8>, to output: inout Buffer, dropping dropped: FieldNameSet
    ) -> Bool {
        guard head.names.meets(use.rules.requestNames) else {
            return HeadWriter.appendForwardedFields(of: head.fields, from: bytes, to: &output, dropping: dropped)
        }
        return use.rules.append(
            requestFields: head.fields, dropping: dropped, from: bytes, authority: bytes.extracting(head.authority),
            client: ClientName(exchange), to: &output, changes: &exchange.metrics.changes)
    }

    /// The framing of the body towards an HTTP/1.1 origin.
    var encoding: BodyPump.Encoding {
        switch head.framing {
        case .chunked: .chunked
        case .stream: head.names.contains(.contentLength) ? .identity : .chunked
        case .none, .length, .untilClose, .tunnel: .identity
        }
    }
}

extension Request {
    /// The host and port that the client named, without an environment's label.
    var namedAuthority: Range<Int> {
        head.authority.lowerBound + labelLength..<head.authority.upperBound
    }

    /// The host alone.
    var namedHost: String { text(head.host.lowerBound + labelLength..<head.host.upperBound) }
}

extension ClientName {
    /// How the client of an exchange named Shunt.
    init(_ exchange: borrowing ClientExchange) {
        let request = exchange.request
        let (host, authority) = (request.head.host, request.head.authority)
        // An IPv6 literal's brackets belong to the authority only.
        let bracket = host.lowerBound - authority.lowerBound
        self.init(
            isSecure: exchange.client.isSecure, hostLength: host.upperBound - authority.lowerBound + bracket,
            labelLength: request.labelLength)
    }
}

extension Buffer {
    /// Says that Shunt has passed a message on, and which version of HTTP it came in (RFC 9110 7.6.3).
    mutating func appendVia(_ version: HTTPVersion, isStream: Bool) -> Bool {
        if isStream { return appendWhole("Via: 2 shunt\r\n") }
        return appendWhole(version == .http10 ? "Via: 1.0 shunt\r\n" : "Via: 1.1 shunt\r\n")
    }
}
