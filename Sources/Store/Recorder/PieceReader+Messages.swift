import Exchanges
import Redaction

extension PieceReader {
    mutating func readMessages(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange,
        to frames: inout FrameWriter
    ) {
        var at = piece.bytes.lowerBound
        var (type, id): (Range<Int>?, Range<Int>?)
        for part in block.parts[piece.parts] {
            let body = block.bytes[PieceParts.next(piece, part, &at)]
            switch part.kind {
            case .eventType: type = add(body, .error, state.secrets, to: &frames)
            case .eventID: id = add(body, .error, state.secrets, to: &frames)
            case .message(let facts):
                var message = FrameSection.Message(facts: facts, event: type, eventID: id)
                if body.isEmpty, facts.length > 0 {
                    message.isDropped = tools.limit > 0 && !facts.isUndecodable
                } else {
                    let place = add(body, facts.kind, state.secrets, to: &frames)
                    operations.read(message: frames.content(place), facts, &state)
                    if place.count > tools.limit { message.facts.isCut = true }
                    message.bytes = place.prefix(tools.limit)
                }
                frames.add(message)
                state.nextMessage += 1
                (type, id) = (nil, nil)
            default: continue
            }
        }
    }

    private func add(
        _ message: ArraySlice<UInt8>, _ kind: MessageFacts.Kind, _ secrets: RecordingRedaction?,
        to frames: inout FrameWriter
    ) -> Range<Int> {
        frames.append { out in
            guard let secrets else { return out.append(contentsOf: message) }
            switch kind {
            case .text, .event: secrets.redact(message: message.span, isText: true, into: &out)
            case .binary, .ping, .pong: secrets.redact(message: message.span, isText: false, into: &out)
            // A status code in front of the reason (RFC 6455 5.5.1).
            case .close:
                out += message.prefix(2)
                let words = message.dropFirst(2)
                secrets.redact(text: words.span, isCut: false, into: &out)
            case .error: secrets.redact(text: message.span, isCut: false, into: &out)
            }
        }
    }
}
