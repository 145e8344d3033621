import Redaction

extension PieceReader {
    /// Reads new heads and trailers, all into one place.
    mutating func readHeads(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange,
        to batch: inout WriteBatch
    ) -> WriteBatch.Place? {
        var request: Range<Int>?
        var response: Range<Int>?
        var at = piece.bytes.lowerBound
        for part in block.parts[piece.parts] {
            let place = Self.next(piece, part, &at)
            switch part.kind {
            case .clientRequest: request = place
            case .originRequest: request = place
            case .originResponse: response = place
            case .clientResponse: response = place
            case .requestTrailers, .responseTrailers: break
            case .requestBody, .responseBody, .eventType, .eventID, .message: continue
            }
            add(part.kind, block.bytes[place], state.secrets)
        }
        if let request { state.request.head = HeadFields(block.bytes[request]) }
        if let response { state.response.head = HeadFields(block.bytes[response]) }
        return heads.finish(into: &batch.bytes)
    }

    mutating func add(
        _ kind: RecordedPiece.Part.Kind, _ bytes: ArraySlice<UInt8>, _ secrets: (any RecordingFilter)?
    ) {
        guard let section = HeadsWriter.Section(kind) else { return }
        heads.add(section) { out in
            switch section {
            case _ where secrets == nil: out.append(contentsOf: bytes)
            case .requestTrailers, .responseTrailers: secrets?.redact(trailers: bytes.span, into: &out)
            default: secrets?.redact(head: bytes.span, into: &out)
            }
        }
    }

    /// The place of a part's bytes; fewer if the piece has less than announced.
    @inline(__always)
    static func next(
        _ piece: PieceBlock.Piece, _ part: RecordedPiece.Part, _ at: inout Int
    ) -> Range<Int> {
        let start = at
        at += min(max(0, part.length), piece.bytes.upperBound - start)
        return start..<at
    }

    /// Reads new bytes of a body, all into one place.
    mutating func readBody(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, isResponse: Bool, _ track: inout BodyTrack,
        _ secrets: (any RecordingFilter)?, to batch: inout WriteBatch
    ) -> WriteBatch.Place {
        let start = batch.bytes.count
        if isResponse ? piece.droppedResponse : piece.droppedRequest { track.close(.dropped) }
        var at = piece.bytes.lowerBound
        for part in block.parts[piece.parts] {
            let place = Self.next(piece, part, &at)
            switch part.kind {
            case .requestBody where !isResponse, .responseBody where isResponse:
                track.add(block.bytes[place], secrets, &tools, to: &batch.bytes)
            default: continue
            }
        }
        if piece.isLast { track.finish(&tools, to: &batch.bytes) }
        return start..<batch.bytes.count
    }

    /// The row of the table `body`, new or changed, and rows for the parts of bodies that do not fit there.
    func addBody(
        _ heads: WriteBatch.Place?, _ request: WriteBatch.Place, _ response: WriteBatch.Place,
        _ state: inout RunningExchange,
        to batch: inout WriteBatch
    ) {
        let flagsHaveChanged =
            state.request.flags != state.request.writtenFlags || state.response.flags != state.response.writtenFlags
        guard !state.hasRow || heads != nil || !request.isEmpty || !response.isEmpty || flagsHaveChanged else {
            return
        }
        let firstOfRequest = Self.firstRow(request, state.request)
        let firstOfResponse = Self.firstRow(response, state.response)
        let mark = batch.mark
        batch.add(.identity(state.identity))
        batch.add(blob: heads)
        batch.add(blob: firstOfRequest)
        batch.add(blob: firstOfResponse)
        batch.add(state.request.flags.rawValue)
        batch.add(state.response.flags.rawValue)
        batch.add(Int64(state.request.kept))
        batch.add(Int64(state.response.kept))
        batch.end(state.hasRow ? .bodyUpdate : .body, at: mark)
        state.hasRow = true
        addRows(request, from: firstOfRequest?.upperBound, side: 0, &state.request, state.identity, to: &batch)
        addRows(response, from: firstOfResponse?.upperBound, side: 1, &state.response, state.identity, to: &batch)
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

extension HeadsWriter.Section {
    /// nil if it is no head.
    fileprivate init?(_ kind: RecordedPiece.Part.Kind) {
        switch kind {
        case .clientRequest: self = .clientRequest
        case .originRequest: self = .originRequest
        case .originResponse: self = .originResponse
        case .clientResponse: self = .clientResponse
        case .requestTrailers: self = .requestTrailers
        case .responseTrailers: self = .responseTrailers
        case .requestBody, .responseBody, .eventType, .eventID, .message: return nil
        }
    }
}
