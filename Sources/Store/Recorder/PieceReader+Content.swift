import Redaction

/// Where a piece has its heads and bodies.
struct PieceParts {
    /// Heads of one side, which lie one behind the other.
    struct Heads {
        var place = 0..<0
        /// Bytes of the first one.
        var first = 0
        /// 1 for the head on the client's side, 2 for the other.
        var which = 0
        /// Where the last one begins.
        var last = 0

        /// Returns false if the head does not follow the others.
        mutating func add(_ head: Range<Int>, _ which: Int) -> Bool {
            guard self.which != 0 else {
                (place, first, last, self.which) = (head, head.count, head.lowerBound, which)
                return true
            }
            guard self.which & which == 0, place.upperBound == head.lowerBound else { return false }
            (place, last) = (place.lowerBound..<head.upperBound, head.lowerBound)
            self.which |= which
            return true
        }
    }

    var request = Heads()
    var response = Heads()
    var requestBody = 0..<0
    var responseBody = 0..<0
    /// The heads have their usual order and each stands once.
    private(set) var isPlain = true
    private(set) var hasTrailers = false
    private(set) var hasMessages = false
    private(set) var hasOriginBodies = false
    private(set) var (requestBodyIsWhole, responseBodyIsWhole) = (true, true)

    init(_ piece: PieceBlock.Piece, _ block: borrowing PieceBlock) {
        var at = piece.bytes.lowerBound
        for index in piece.parts {
            let part = block.parts[index]
            let place = Self.next(piece, part, &at)
            switch part.kind {
            case .clientRequest: isPlain = request.which == 0 && request.add(place, 1) && isPlain
            case .originRequest: isPlain = request.add(place, 2) && isPlain
            case .originResponse: isPlain = response.which == 0 && response.add(place, 2) && isPlain
            case .clientResponse: isPlain = response.add(place, 1) && isPlain
            case .requestBody: requestBodyIsWhole = Self.add(place, to: &requestBody) && requestBodyIsWhole
            case .responseBody: responseBodyIsWhole = Self.add(place, to: &responseBody) && responseBodyIsWhole
            case .originRequestBody, .originResponseBody: hasOriginBodies = true
            case .requestTrailers, .responseTrailers: hasTrailers = true
            case .eventType, .eventID, .message: hasMessages = true
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

    /// The place of a part's bytes; fewer if the piece has less than announced.
    @inline(__always)
    static func next(_ piece: PieceBlock.Piece, _ part: RecordedPiece.Part, _ at: inout Int) -> Range<Int> {
        let start = at
        at += min(max(0, part.length), piece.bytes.upperBound - start)
        return start..<at
    }
}

extension PieceReader {
    /// Puts new heads and trailers into the present frame.
    mutating func readHeads(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ parts: PieceParts, _ state: inout RunningExchange,
        to frames: inout FrameWriter
    ) {
        let redaction = block.redaction(piece)
        if parts.isPlain {
            if let (place, fields) = add(parts.request, false, block.bytes, state.secrets, redaction, &frames) {
                frames.add(requestHeads: place)
                state.request.head = fields
            }
            if let (place, fields) = add(parts.response, true, block.bytes, state.secrets, redaction, &frames) {
                frames.add(responseHeads: place)
                state.response.head = fields
            }
        }
        guard !parts.isPlain || parts.hasTrailers else { return }
        var at = piece.bytes.lowerBound
        for part in block.parts[piece.parts] {
            let place = PieceParts.next(piece, part, &at)
            switch part.kind {
            case .clientRequest, .originRequest, .originResponse, .clientResponse:
                guard !parts.isPlain else { continue }
                add(part.kind, block.bytes[place], state.secrets)
                let fields = HeadFields(block.bytes[place])
                switch part.kind {
                case .clientRequest, .originRequest: state.request.head = fields
                default: state.response.head = fields
                }
            case .requestTrailers, .responseTrailers: add(part.kind, block.bytes[place], state.secrets)
            default: continue
            }
        }
        frames.add(otherHeads: frames.append { out in _ = self.heads.finish(into: &out) })
    }

    /// Puts heads of one side there; those that came before are not read again.
    private mutating func add(
        _ heads: PieceParts.Heads, _ isResponse: Bool, _ bytes: [UInt8], _ secrets: RecordingRedaction?,
        _ redaction: ProfileRedaction?, _ frames: inout FrameWriter
    ) -> (place: Range<Int>, fields: HeadFields?)? {
        guard heads.which != 0 else { return nil }
        return bytes.withUnsafeBytes { all in
            let source = UnsafeRawBufferPointer(rebasing: all[heads.place])
            // Beside the bytes, it has to be the same heads.
            let shape = heads.first << 3 | heads.which << 1 | (isResponse ? 1 : 0)
            let context = BodyCache.Context(shape: shape, redaction: redaction)
            let hash = BodyCache.hash(source, shape: context.shape)
            if let (place, fields) = memo.find(source, hash, context, &frames) { return (place, fields) }
            let border = heads.place.lowerBound + heads.first
            let (first, second) = (heads.place.lowerBound..<border, border..<heads.place.upperBound)
            if isResponse {
                if heads.which & 2 != 0 { add(.originResponse, bytes[first], secrets) }
                if heads.which & 1 != 0 { add(.clientResponse, bytes[heads.which == 1 ? first : second], secrets) }
            } else {
                if heads.which & 1 != 0 { add(.clientRequest, bytes[first], secrets) }
                if heads.which & 2 != 0 { add(.originRequest, bytes[heads.which == 2 ? first : second], secrets) }
            }
            let fields = HeadFields(bytes[heads.last..<heads.place.upperBound])
            let place = frames.append { out in _ = self.heads.finish(into: &out) }
            memo.keep(source, hash, context, fields, place, frames)
            return (place, fields)
        }
    }

    private mutating func add(
        _ kind: RecordedPiece.Part.Kind, _ bytes: ArraySlice<UInt8>, _ secrets: RecordingRedaction?
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

    /// Puts new bytes of a body into the present frame.
    mutating func readBody(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ parts: PieceParts, _ side: BodySide,
        _ track: inout BodyTrack, _ secrets: RecordingRedaction?, _ work: ContractWork?, to frames: inout FrameWriter
    ) {
        if side == .request ? piece.droppedRequest : piece.droppedResponse { track.close(.dropped) }
        let (body, isWhole) =
            side == .request
            ? (parts.requestBody, parts.requestBodyIsWhole) : (parts.responseBody, parts.responseBodyIsWhole)
        // The redacted form is at most several times as long.
        if isWhole, piece.isFirst, piece.isLast, !body.isEmpty, body.count <= BodyCache.longest,
            BodyCache.longest * 16 <= tools.limit, track.flags.isEmpty, track.head?.isEncoded != true
        {
            let place = addShort(body, track.head?.bodyType, block.bytes, secrets, block.redaction(piece), &frames)
            track.take(whole: place.count)
            work?.add(side, frames.content(place))
            track.collect(frames.content(place))
            return frames.add(StoredBody(side, .client), place)
        }
        guard !body.isEmpty || piece.isLast else { return }
        let place = frames.append { out in
            if isWhole {
                track.add(block.bytes[body], secrets, &tools, to: &out)
            } else {
                var at = piece.bytes.lowerBound
                for part in block.parts[piece.parts] {
                    let place = PieceParts.next(piece, part, &at)
                    switch part.kind {
                    case .requestBody where side == .request, .responseBody where side == .response:
                        track.add(block.bytes[place], secrets, &tools, to: &out)
                    default: continue
                    }
                }
            }
            if piece.isLast { track.finish(&tools, to: &out) }
        }
        work?.add(side, frames.content(place))
        track.collect(frames.content(place))
        frames.add(StoredBody(side, .client), place)
    }

    /// The same for the bodies at the origin's end, which few exchanges have.
    mutating func readOriginBodies(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ parts: PieceParts, _ state: inout RunningExchange,
        to frames: inout FrameWriter
    ) {
        let cut = (piece.originRequestCut, piece.originResponseCut)
        let dropped = (piece.droppedOriginRequest, piece.droppedOriginResponse)
        guard parts.hasOriginBodies || !state.originBodies.isEmpty || cut != (false, false) || dropped != (false, false)
        else { return }
        if state.originBodies.isEmpty { state.originBodies = [BodyTrack(), BodyTrack()] }
        for (index, body) in [StoredBody.originRequest, .originResponse].enumerated() {
            var track = state.originBodies[index]
            track.head = index == 0 ? state.request.head : state.response.head
            if index == 0 ? cut.0 : cut.1 { track.flags.insert(.cut) }
            if index == 0 ? dropped.0 : dropped.1 { track.close(.dropped) }
            let place = frames.append { out in
                var at = piece.bytes.lowerBound
                for part in block.parts[piece.parts] {
                    let place = PieceParts.next(piece, part, &at)
                    switch part.kind {
                    case .originRequestBody where index == 0, .originResponseBody where index == 1:
                        track.add(block.bytes[place], state.secrets, &tools, to: &out)
                    default: continue
                    }
                }
                if piece.isLast { track.finish(&tools, to: &out) }
            }
            state.originBodies[index] = track
            frames.add(body, place)
        }
    }

    /// Puts a short body there as a whole; one that came before is not read again.
    private mutating func addShort(
        _ body: Range<Int>, _ type: [UInt8]?, _ bytes: [UInt8], _ secrets: RecordingRedaction?,
        _ redaction: ProfileRedaction?, _ frames: inout FrameWriter
    ) -> Range<Int> {
        bytes.withUnsafeBytes { all in
            let source = UnsafeRawBufferPointer(rebasing: all[body])
            let context = BodyCache.Context(type: type, redaction: redaction)
            let hash = BodyCache.hash(source, shape: 0)
            if let (place, _) = memo.find(source, hash, context, &frames) { return place }
            let place = frames.append { out in
                guard let secrets else { return out.append(contentsOf: source) }
                secrets.redact(
                    body: Span(_unsafeElements: source.assumingMemoryBound(to: UInt8.self)),
                    contentType: context.type, into: &out)
            }
            memo.keep(source, hash, context, nil, place, frames)
            return place
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
        case .requestBody, .responseBody, .originRequestBody, .originResponseBody, .eventType, .eventID, .message:
            return nil
        }
    }
}
