import Bytes
import HTTP
import Rewriting

extension OutgoingResponse {
    private static let ownFields: FieldNameSet = [.shuntAnsweredBy, .shuntCluster]

    private var request: RequestHead {
        // Not a getter: that would copy the head.
        _read { yield exchange.request.head }
    }

    private var response: ResponseHead {
        // Nor this one.
        _read { yield memory.response }
    }

    /// Puts the response's head as the client is to see it into its output; false if it does not fit.
    func append(from bytes: Span<UInt8>) -> Bool {
        channel.reserveOutput(2 * (response.fields.last?.line.upperBound ?? 0) + 1024)
        if encoding == .identity && isEndedByClose { exchange.client.mustClose = true }
        var fits =
            status == response.status
            ? HeadWriter.appendStatusLine(
                status: status, reasonFrom: bytes, response.reason, to: &channel.output)
            : HeadWriter.appendStatusLine(status: status, to: &channel.output)
        var dropped = Self.ownFields
        if isBodyRewritten { dropped = dropped.union(BodyRewriter.droppedFields) }
        if response.isInformational {
            fits = fits && appendFields(from: bytes, dropping: dropped)
            return fits && channel.output.appendWhole("\r\n")
        }
        let mark = channel.output.count
        if dropsBody || lacksBody { dropped.insert(.contentLength) }
        for step in Steps.ofResponses {
            fits = step.append(bytes, to: &channel.output, for: self, replacing: &dropped) && fits
        }
        let ownMark = channel.output.count
        fits = fits && appendFields(from: bytes, dropping: dropped)
        if exchange.way.webCall != nil, WebCallStep.isTranslated(exchange, response, bytes) {
            fits = fits && WebCallStep.strip(&channel.output, from: ownMark)
        }
        if let edits = exchange.way.edits {
            fits = fits && edits.changeResponse(&channel.output, from: mark, own: ownMark, in: exchange)
        }
        // A gateway need not say that it was there, a proxy must.
        if use.isForwarded, use.addsVia {
            fits = fits && channel.output.appendVia(response.version, isStream: isFromStream)
        }
        if lacksBody { fits = fits && channel.output.appendWhole("Content-Length: 0\r\n") }
        if response.framing == .tunnel {
            fits = fits && appendUpgrade(from: bytes)
        } else {
            if encoding == .chunked { fits = fits && channel.output.appendWhole("Transfer-Encoding: chunked\r\n") }
            fits = fits && exchange.client.appendConnection(for: request.version)
        }
        if let note = exchange.state.note { fits = fits && channel.output.appendWhole(note.line) }
        return fits && channel.output.appendWhole(exchange.answeredBy(use.answeredBy))
            && channel.output.appendWhole("\r\n")
    }

    /// The origin's fields, rewritten where there is something to rewrite.
    private func appendFields(from bytes: Span<UInt8>, dropping dropped: FieldNameSet) -> Bool {
        let rules = use.rules(for: exchange)
        guard response.names.meets(rules.responseNames) else {
            return HeadWriter.appendForwardedFields(
                of: response.fields, from: bytes, to: &channel.output, dropping: dropped)
        }
        let head = exchange.headBytes
        // The Origin field counts only where the response restricts who may read it.
        let isRestricted = response.names.contains(.accessControlAllowOrigin) && request.names.contains(.origin)
        return rules.append(
            responseFields: response.fields, dropping: dropped, from: bytes,
            to: isRestricted ? request.fields.first { $0.id == .origin } : nil,
            of: head, authority: head.extracting(request.authority), client: ClientName(exchange), to: &channel.output,
            changes: &exchange.metrics.changes)
    }

    /// 101 names the new protocol; both fields are hop-by-hop and were dropped.
    private func appendUpgrade(from bytes: Span<UInt8>) -> Bool {
        guard channel.output.appendWhole("Connection: Upgrade\r\n") else { return false }
        guard let upgrade = response.field(.upgrade) else { return true }
        return channel.output.appendWhole(bytes.extracting(upgrade.line))
    }

    // MARK: The body's framing

    /// The framing of the body towards the client; a rewritten body has no known length.
    var encoding: BodyPump.Encoding {
        if dropsBody { return .discard }
        if channel.isStream { return response.framing == .tunnel ? .identity : .stream }
        return switch response.framing {
        case .chunked, .untilClose: request.version == .http10 ? .identity : .chunked
        case .length: isBodyRewritten && request.version == .http11 ? .chunked : .identity
        // A length that was announced holds, or the stream has failed (RFC 9113 8.1.1).
        case .stream where response.names.contains(.contentLength) && !isBodyRewritten: .identity
        case .stream: request.version == .http10 ? .identity : .chunked
        case .none, .tunnel: .identity
        }
    }

    /// The origin's body does not go on: another status has taken the place of its own, which has none.
    var dropsBody: Bool {
        status != response.status && [204, 205, 304].contains(status) && response.framing != .none
    }

    /// The client would wait for the body of a status that has one.
    private var lacksBody: Bool {
        guard status != response.status, status != 204, status != 304, request.method != .head else { return false }
        return status == 205 || response.framing == .none
    }

    /// Without a length an HTTP/1.0 client knows the end by the connection's.
    private var isEndedByClose: Bool {
        if lacksBody { return false }
        return switch response.framing {
        case .chunked, .untilClose: true
        case .stream: isBodyRewritten || !response.names.contains(.contentLength)
        case .length: isBodyRewritten
        case .none, .tunnel: false
        }
    }
}

extension Client {
    /// Appends the Connection field where it says more than HTTP/1.1 does without it.
    func appendConnection(for version: HTTPVersion) -> Bool {
        if mustClose { return channel.output.appendWhole("Connection: close\r\n") }
        if version == .http10 { return channel.output.appendWhole("Connection: keep-alive\r\n") }
        return true
    }
}
