import Redaction

extension PieceReader {
    /// Heads of one side, which lie one behind the other.
    private struct Heads {
        var place = 0..<0
        /// Bytes of the first one.
        var first = 0
        /// 1 for the head on the client's side, 2 for the other.
        var which = 0
        /// Where the last one begins.
        var last = 0

        /// The shape, which must be equal beside the bytes.
        func shape(isResponse: Bool) -> Int { first << 3 | which << 1 | (isResponse ? 1 : 0) }

        /// Returns false if the head does not follow the others.
        mutating func add(_ head: Range<Int>, _ which: Int) -> Bool {
            guard self.which & which == 0 else { return false }
            guard self.which != 0 else {
                (place, first, last, self.which) = (head, head.count, head.lowerBound, which)
                return true
            }
            guard place.upperBound == head.lowerBound else { return false }
            (place, last) = (place.lowerBound..<head.upperBound, head.lowerBound)
            self.which |= which
            return true
        }
    }

    /// The parts of an exchange that came as a whole, without messages.
    private struct Ordinary {
        var request = Heads()
        var response = Heads()
        var requestBody = 0..<0
        var responseBody = 0..<0

        /// nil for other exchanges, which are read part by part.
        init?(_ piece: PieceBlock.Piece, _ block: borrowing PieceBlock) {
            guard piece.isFirst, piece.isLast, piece.bytes.count <= PieceReader.rowSize else { return nil }
            var at = piece.bytes.lowerBound
            for index in piece.parts {
                let part = block.parts[index]
                let place = PieceReader.next(piece, part, &at)
                switch part.kind {
                case .clientRequest: guard request.add(place, 1) else { return nil }
                // It is written as differences from the client's.
                case .originRequest: guard request.which == 1, request.add(place, 2) else { return nil }
                case .originResponse: guard response.which == 0, response.add(place, 2) else { return nil }
                case .clientResponse: guard response.add(place, 1) else { return nil }
                case .requestBody: guard Self.add(place, to: &requestBody) else { return nil }
                case .responseBody: guard Self.add(place, to: &responseBody) else { return nil }
                case .requestTrailers, .responseTrailers, .eventType, .eventID, .message: return nil
                }
            }
        }

        private static func add(_ place: Range<Int>, to body: inout Range<Int>) -> Bool {
            guard !body.isEmpty else {
                body = place
                return true
            }
            guard body.upperBound == place.lowerBound else { return false }
            body = body.lowerBound..<place.upperBound
            return true
        }
    }

    /// Puts heads and bodies of an ordinary exchange into the present block; returns false for other exchanges.
    mutating func readOrdinary(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange,
        to batch: inout WriteBatch
    ) -> Bool {
        guard case .new(let index) = state.identity, let parts = Ordinary(piece, block) else { return false }
        let redaction = block.redaction(piece)
        batch.makeRoom(for: index)
        let mark = batch.body.end
        var body = BodyPlaces()
        (body.requestHeads, state.request.head) = add(
            parts.request, isResponse: false, block.bytes, state.secrets, redaction, &batch.body)
        (body.responseHeads, state.response.head) = add(
            parts.response, isResponse: true, block.bytes, state.secrets, redaction, &batch.body)
        if piece.droppedRequest { state.request.close(.dropped) }
        if piece.droppedResponse { state.response.close(.dropped) }
        body.requestBody = add(
            parts.requestBody, &state.request, block.bytes, state.secrets, redaction, &batch.body)
        body.responseBody = add(
            parts.responseBody, &state.response, block.bytes, state.secrets, redaction, &batch.body)
        (body.requestFlags, body.responseFlags) = (state.request.flags, state.response.flags)
        if batch.body.end - mark <= Self.rowSize * 4 {
            batch.add(index, body)
        } else {
            moveToRows(body, from: mark, &state, to: &batch)
        }
        return true
    }

    /// Moves an exchange to rows of its own, since a body has grown when it was decoded.
    private mutating func moveToRows(
        _ body: BodyPlaces, from mark: Int, _ state: inout RunningExchange, to batch: inout WriteBatch
    ) {
        var heads: [UInt8] = []
        for place in [body.requestHeads, body.responseHeads] { heads += batch.body.body(place) }
        let (request, response) = (
            batch.append(batch.body.body(body.requestBody)),
            batch.append(batch.body.body(body.responseBody))
        )
        batch.body.cut(to: mark)
        addBody(heads.isEmpty ? nil : batch.append(heads), request, response, &state, to: &batch)
    }

    private mutating func add(
        _ heads: Heads, isResponse: Bool, _ bytes: [UInt8], _ secrets: (any RecordingFilter)?,
        _ redaction: ProfileRedaction?, _ block: inout BlockWriter
    ) -> (place: Range<Int>, fields: HeadFields?) {
        guard !heads.place.isEmpty else { return (0..<0, nil) }
        return bytes.withUnsafeBytes { all in
            let source = UnsafeRawBufferPointer(rebasing: all[heads.place])
            let context = BodyCache.Context(shape: heads.shape(isResponse: isResponse), redaction: redaction)
            let hash = BodyCache.hash(source, shape: context.shape)
            if let (place, fields) = memo.find(source, hash, context, &block) { return (place, fields) }
            let border = heads.place.lowerBound + heads.first
            let (first, second) = (heads.place.lowerBound..<border, border..<heads.place.upperBound)
            if isResponse {
                if heads.which & 2 != 0 { add(.originResponse, bytes[first], secrets) }
                if heads.which & 1 != 0 { add(.clientResponse, bytes[heads.which == 1 ? first : second], secrets) }
            } else {
                add(.clientRequest, bytes[first], secrets)
                if heads.which & 2 != 0 { add(.originRequest, bytes[second], secrets) }
            }
            let fields = HeadFields(bytes[heads.last..<heads.place.upperBound])
            let place = block.append { out in _ = self.heads.finish(into: &out) }
            memo.keep(source, hash, context, fields, place, block)
            return (place, fields)
        }
    }

    private mutating func add(
        _ body: Range<Int>, _ track: inout BodyTrack, _ bytes: [UInt8], _ secrets: (any RecordingFilter)?,
        _ redaction: ProfileRedaction?, _ block: inout BlockWriter
    ) -> Range<Int> {
        // The redacted form is at most several times as long.
        guard !body.isEmpty, body.count <= BodyCache.longest, BodyCache.longest * 16 <= tools.limit,
            track.flags.isEmpty, track.head?.isEncoded != true
        else {
            return block.append { out in
                track.add(bytes[body], secrets, &tools, to: &out)
                track.finish(&tools, to: &out)
            }
        }
        let place = addShort(body, track.head?.bodyType, bytes, secrets, redaction, &block)
        track.take(whole: place.count)
        return place
    }

    /// Puts a short body there as a whole; one that came before is not read again.
    private mutating func addShort(
        _ body: Range<Int>, _ type: [UInt8]?, _ bytes: [UInt8], _ secrets: (any RecordingFilter)?,
        _ redaction: ProfileRedaction?, _ block: inout BlockWriter
    ) -> Range<Int> {
        bytes.withUnsafeBytes { all in
            let source = UnsafeRawBufferPointer(rebasing: all[body])
            let context = BodyCache.Context(type: type, redaction: redaction)
            let hash = BodyCache.hash(source, shape: 0)
            if let (place, _) = memo.find(source, hash, context, &block) { return place }
            let place = block.append { out in
                guard let secrets else { return out.append(contentsOf: source) }
                secrets.redact(
                    body: Span(_unsafeElements: source.assumingMemoryBound(to: UInt8.self)),
                    contentType: context.type, into: &out)
            }
            memo.keep(source, hash, context, nil, place, block)
            return place
        }
    }
}
