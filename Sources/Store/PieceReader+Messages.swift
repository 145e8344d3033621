import Exchanges
import Redaction

extension PieceReader {
    func readMessages(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange,
        to batch: inout WriteBatch
    ) {
        var at = piece.bytes.lowerBound
        var (type, id): (WriteBatch.Place?, WriteBatch.Place?) = (nil, nil)
        for part in block.parts[piece.parts] {
            let body = block.bytes[Self.next(piece, part, &at)]
            switch part.kind {
            case .eventType: type = add(words: body, state.secrets, to: &batch)
            case .eventID: id = add(words: body, state.secrets, to: &batch)
            case .message(let facts):
                add(body, facts, type, id, &state, to: &batch)
                (type, id) = (nil, nil)
            default: continue
            }
        }
    }

    private func add(
        _ body: ArraySlice<UInt8>, _ facts: MessageFacts, _ type: WriteBatch.Place?, _ id: WriteBatch.Place?,
        _ state: inout RunningExchange, to batch: inout WriteBatch
    ) {
        var flags: BodyTrack.Flags = []
        if facts.isCut { flags.insert(.cut) }
        if facts.isUndecodable { flags.insert(.undecodable) }
        var bytes: WriteBatch.Place?
        if body.isEmpty, facts.length > 0 {
            if tools.limit > 0, !facts.isUndecodable { flags.insert(.dropped) }
        } else {
            let place = add(message: body, facts.kind, state.secrets, to: &batch)
            if place.count > tools.limit { flags.insert(.cut) }
            bytes = place.prefix(tools.limit)
        }
        let mark = batch.mark
        batch.add(.identity(state.identity))
        batch.add(state.nextMessage)
        batch.add(facts.time)
        batch.add(facts.sender.rawValue)
        batch.add(text: facts.kind.name)
        batch.add(facts.length)
        batch.add(blob: bytes)
        batch.add(flags.rawValue)
        batch.add(text: type)
        batch.add(text: id)
        batch.end(.message, at: mark)
        state.nextMessage += 1
    }

    private func add(
        message: ArraySlice<UInt8>, _ kind: MessageFacts.Kind, _ secrets: (any RecordingFilter)?,
        to batch: inout WriteBatch
    ) -> WriteBatch.Place {
        guard let secrets else { return batch.append(message) }
        let start = batch.bytes.count
        switch kind {
        case .text, .event: secrets.redact(message: message.span, isText: true, into: &batch.bytes)
        case .binary, .ping, .pong: secrets.redact(message: message.span, isText: false, into: &batch.bytes)
        // A status code in front of the reason (RFC 6455 5.5.1).
        case .close:
            batch.bytes += message.prefix(2)
            let words = message.dropFirst(2)
            secrets.redact(text: words.span, isCut: false, into: &batch.bytes)
        case .error: secrets.redact(text: message.span, isCut: false, into: &batch.bytes)
        }
        return start..<batch.bytes.count
    }

    private func add(
        words: ArraySlice<UInt8>, _ secrets: (any RecordingFilter)?, to batch: inout WriteBatch
    ) -> WriteBatch.Place { add(message: words, .error, secrets, to: &batch) }
}
