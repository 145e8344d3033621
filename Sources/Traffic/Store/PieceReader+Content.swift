extension PieceReader {
    /// Where heads and trailers of a piece lie in the batch.
    struct Heads {
        var clientRequest: WriteBatch.Place?
        var originRequest: WriteBatch.Place?
        var originAnswer: WriteBatch.Place?
        var clientAnswer: WriteBatch.Place?
        var requestTrailers: WriteBatch.Place?
        var answerTrailers: WriteBatch.Place?

        var isEmpty: Bool {
            clientRequest == nil && originRequest == nil && originAnswer == nil && clientAnswer == nil
                && requestTrailers == nil && answerTrailers == nil
        }
    }

    func readHeads(
        _ piece: borrowing RecordedPiece, _ state: inout RunningExchange, to batch: inout WriteBatch
    ) -> Heads {
        var heads = Heads()
        var request: Range<Int>?
        var answer: Range<Int>?
        var at = 0
        for part in piece.parts {
            let place = Self.next(piece, part, &at)
            switch part.kind {
            case .clientRequest:
                heads.clientRequest = add(piece, head: place, state, to: &batch)
                request = place
            case .originRequest:
                heads.originRequest = add(piece, head: place, state, to: &batch)
                request = place
            case .originAnswer:
                heads.originAnswer = add(piece, head: place, state, to: &batch)
                answer = place
            case .clientAnswer:
                heads.clientAnswer = add(piece, head: place, state, to: &batch)
                answer = place
            case .requestTrailers: heads.requestTrailers = add(piece, trailers: place, state, to: &batch)
            case .answerTrailers: heads.answerTrailers = add(piece, trailers: place, state, to: &batch)
            case .requestBody, .answerBody, .eventType, .eventID, .message: continue
            }
        }
        if let request { state.request.head = HeadFields(piece.bytes[request]) }
        if let answer { state.answer.head = HeadFields(piece.bytes[answer]) }
        return heads
    }

    /// Where the bytes of a part are; fewer if a piece promised more than it has.
    @inline(__always)
    static func next(
        _ piece: borrowing RecordedPiece, _ part: RecordedPiece.Part, _ at: inout Int
    ) -> Range<Int> {
        let start = at
        at += min(max(0, part.length), piece.bytes.count - start)
        return start..<at
    }

    private func add(
        _ piece: borrowing RecordedPiece, head place: Range<Int>, _ state: borrowing RunningExchange,
        to batch: inout WriteBatch
    ) -> WriteBatch.Place {
        guard let secrets = state.secrets else { return batch.append(piece.bytes, place) }
        return batch.append(secrets.redact(head: piece.bytes[place]))
    }

    private func add(
        _ piece: borrowing RecordedPiece, trailers place: Range<Int>, _ state: borrowing RunningExchange,
        to batch: inout WriteBatch
    ) -> WriteBatch.Place {
        guard let secrets = state.secrets else { return batch.append(piece.bytes, place) }
        return batch.append(secrets.redact(trailers: piece.bytes[place]))
    }

    /// What is new of a body, all in one place.
    mutating func readBody(
        _ piece: borrowing RecordedPiece, isAnswer: Bool, _ track: inout BodyTrack,
        _ secrets: (any RecordingFilter)?, to batch: inout WriteBatch
    ) -> WriteBatch.Place {
        let start = batch.bytes.count
        if isAnswer ? piece.droppedAnswer : piece.droppedRequest { track.close(.dropped) }
        var at = 0
        for part in piece.parts {
            let place = Self.next(piece, part, &at)
            switch part.kind {
            case .requestBody where !isAnswer, .answerBody where isAnswer:
                track.add(piece.bytes[place], secrets, &tools, to: &batch.bytes)
            default: continue
            }
        }
        if piece.isLast { track.finish(&tools, to: &batch.bytes) }
        return start..<batch.bytes.count
    }

    /// The row of the table `content`, new or changed, and rows for what of the bodies does not go there.
    func addContent(
        _ heads: Heads, _ request: WriteBatch.Place, _ answer: WriteBatch.Place, _ state: inout RunningExchange,
        to batch: inout WriteBatch
    ) {
        let flagsHaveChanged =
            state.request.flags != state.request.writtenFlags || state.answer.flags != state.answer.writtenFlags
        guard !state.hasRow || !heads.isEmpty || !request.isEmpty || !answer.isEmpty || flagsHaveChanged else {
            return
        }
        let firstOfRequest = Self.firstRow(request, state.request)
        let firstOfAnswer = Self.firstRow(answer, state.answer)
        let mark = batch.mark
        batch.add(.identity(state.identity))
        batch.add(blob: heads.clientRequest)
        batch.add(blob: heads.originRequest)
        batch.add(blob: heads.originAnswer)
        batch.add(blob: heads.clientAnswer)
        batch.add(blob: heads.requestTrailers)
        batch.add(blob: heads.answerTrailers)
        batch.add(blob: firstOfRequest)
        batch.add(blob: firstOfAnswer)
        batch.add(state.request.flags.rawValue)
        batch.add(state.answer.flags.rawValue)
        batch.add(Int64(state.request.kept))
        batch.add(Int64(state.answer.kept))
        batch.end(state.hasRow ? .contentUpdate : .content, at: mark)
        state.hasRow = true
        addRows(request, from: firstOfRequest?.upperBound, side: 0, &state.request, state.identity, to: &batch)
        addRows(answer, from: firstOfAnswer?.upperBound, side: 1, &state.answer, state.identity, to: &batch)
    }

    private static func firstRow(_ place: WriteBatch.Place, _ track: borrowing BodyTrack) -> WriteBatch.Place? {
        track.rows > 0 || place.isEmpty ? nil : place.prefix(rowSize)
    }

    private func addRows(
        _ place: WriteBatch.Place, from start: Int?, side: Int64, _ track: inout BodyTrack,
        _ identity: WriteBatch.Identity, to batch: inout WriteBatch
    ) {
        track.writtenFlags = track.flags
        if start != nil { track.rows += 1 }
        var rest = (start ?? place.lowerBound)..<place.upperBound
        while !rest.isEmpty {
            let mark = batch.mark
            batch.add(.identity(identity))
            batch.add(side)
            batch.add(track.rows)
            batch.add(blob: rest.prefix(Self.rowSize))
            batch.end(.piece, at: mark)
            track.rows += 1
            rest = rest.dropFirst(Self.rowSize)
        }
    }
}
