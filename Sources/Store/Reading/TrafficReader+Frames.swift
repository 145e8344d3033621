import Bytes
import Platform

/// Where an exchange's content stands: a section of a frame.
package struct FramePart: Sendable {
    let frame: Frame
    let section: FrameSection

    /// Whether the heads are the same bytes of a frame that was read once, without looking at them.
    func sharesHeads(with other: FramePart) -> Bool {
        frame === other.frame && section.requestHeads == other.section.requestHeads
            && section.responseHeads == other.section.responseHeads && section.otherHeads.isEmpty
            && other.section.otherHeads.isEmpty
    }

    /// Whether heads, bodies and what is said about bodies are equal, where both are whole.
    package func isEqual(to other: FramePart) -> Bool {
        let (own, known) = (section, other.section)
        guard own.state == known.state, StoredBody.allCases.allSatisfy({ digest($0) == other.digest($0) }) else {
            return false
        }
        let isOfOneFrame = frame === other.frame
        return frame.bytes.withSpan { bytes in
            other.frame.bytes.withUnsafeBytes { others in
                func isEqual(_ one: Range<Int>, _ two: Range<Int>) -> Bool {
                    isOfOneFrame && one == two || bytes.equals(one, UnsafeRawBufferPointer(rebasing: others[two]))
                }
                // Bodies with the same digest are the same, and their places lie in no frame.
                return StoredBody.allCases.allSatisfy {
                    own[$0].shared != nil || isEqual(own[$0].place, known[$0].place)
                }
                    && isEqual(own.requestHeads, known.requestHeads)
                    && isEqual(own.responseHeads, known.responseHeads) && isEqual(own.otherHeads, known.otherHeads)
            }
        }
    }

    /// Where a body stands elsewhere: the digest by which it is found.
    func digest(_ body: StoredBody) -> [UInt8]? { section[body].shared.map { frame.digest($0) } }

    /// Heads of some kinds, in the form of ``HeadsWriter``.
    func read(_ kinds: FrameSection.Kinds, to heads: inout RecordedHeads) {
        if kinds.contains(.requestHeads) { heads.read(frame.bytes[section.requestHeads]) }
        if kinds.contains(.responseHeads) { heads.read(frame.bytes[section.responseHeads]) }
        heads.read(frame.bytes[section.otherHeads])
    }
}

extension TrafficReader {
    /// What an exchange begins with; nil if that is not there any more.
    ///
    /// Only within ``atOnce(_:)``. Each frame is read once if exchanges are read in the order of their numbers, up or
    /// down.
    func beginning(of id: Int64) throws(StoreFailure) -> FramePart? {
        if lastFrame?.begun?.contains(id) != true { lastFrame = try frame(.beginning, id) }
        guard let frame = lastFrame, let section = frame.section(of: id) else { return nil }
        return FramePart(frame: frame, section: section)
    }

    private func frame(_ question: Question, _ number: Int64) throws(StoreFailure) -> Frame? {
        let statement = try ask(question, number)
        defer { statement.reset() }
        guard try statement.step(), let number = statement.integer(0) else { return nil }
        var begun: ClosedRange<Int64>?
        if let first = statement.integer(1), let last = statement.integer(2), first <= last { begun = first...last }
        return Frame(
            number: number, begun: begun, directory: statement.bytes(3) ?? [], bytes: statement.bytes(4) ?? [],
            digests: postgres == nil ? [] : statement.bytes(5) ?? [])
    }

    /// Where an exchange goes on, in the order in which that was written.
    struct Cursor {
        var (message, frame, place): (Int64, Int64, Int64) = (-1, -1, -1)
        /// There is no further part.
        var isOver = false
    }

    /// The next part of an exchange that has something of these kinds; nil behind the last one.
    func next(_ kinds: FrameSection.Kinds, of id: Int64, _ cursor: inout Cursor) throws(StoreFailure) -> FramePart? {
        try atOnce { () throws(StoreFailure) in
            while !cursor.isOver {
                let entry = try ask(.entry, id, cursor.message, cursor.frame, cursor.place, kinds.rawValue)
                if let part = try part(entry, &cursor) { return part }
            }
            return nil
        }
    }

    /// The part that an entry names; nil without an entry, and where the frame is broken.
    func part(_ entry: any StoreStatement, _ cursor: inout Cursor) throws(StoreFailure) -> FramePart? {
        guard try entry.step(), let number = entry.integer(1), let place = entry.integer(2) else {
            cursor.isOver = true
            return nil
        }
        cursor = Cursor(message: entry.integer(0) ?? 0, frame: number, place: place)
        entry.reset()
        if lastFrame?.number != number { lastFrame = try frame(.frame, number) }
        guard let frame = lastFrame, let section = frame.section(at: place) else { return nil }
        return FramePart(frame: frame, section: section)
    }

    /// Visits all parts of an exchange that have something of these kinds, until `visit` returns false.
    ///
    /// Within ``atOnce(_:)``, or the parts end early if the exchange is removed meanwhile.
    func parts(
        _ kinds: FrameSection.Kinds, of id: Int64, from known: FramePart? = nil,
        _ visit: (FramePart) throws(StoreFailure) -> Bool
    ) throws(StoreFailure) {
        let first = if let known { known } else { try atOnce { () throws(StoreFailure) in try beginning(of: id) } }
        if let first {
            if !first.section.kinds.isDisjoint(with: kinds), try !visit(first) { return }
            guard !first.section.isWhole else { return }
        }
        var cursor = Cursor()
        while let part = try next(kinds, of: id, &cursor) {
            guard try visit(part) else { return }
        }
    }

    /// Passes a body to `visit`, as it stands in frames, until that returns false.
    ///
    /// - Parameter end: that of the origin has only what differs from the client's.
    package func body(
        of id: Int64, _ side: BodySide, _ end: BodyEnd, visit: (ArraySlice<UInt8>) -> Bool
    ) throws(StoreFailure) {
        try body(of: id, StoredBody(side, end), visit: visit)
    }

    func body(
        of id: Int64, _ body: StoredBody, from known: FramePart? = nil, visit: (ArraySlice<UInt8>) -> Bool
    ) throws(StoreFailure) {
        try parts(.body(body), of: id, from: known) { part throws(StoreFailure) in visit(try bytes(of: part, body, id))
        }
    }

    /// The bytes of one part of a body; empty if it was removed meanwhile.
    private func bytes(of part: FramePart, _ body: StoredBody, _ id: Int64) throws(StoreFailure) -> ArraySlice<UInt8> {
        guard let digest = part.digest(body) else { return part.frame.bytes[part.section[body].place] }
        guard !digest.isEmpty else { return [] }
        if let lastBody, lastBody.digest == digest { return lastBody.bytes[...] }
        let statement = try ask(.sharedBody, part.frame.number >> PostgresSchema.frameBits)
        defer { statement.reset() }
        try statement.bind(1, .bytes(digest))
        guard try statement.step(), let bytes = statement.bytes(0) else { return [] }
        lastBody = (digest, bytes)
        return bytes[...]
    }

    /// The heads of one side of an exchange; only within ``atOnce(_:)``.
    package func heads(of id: Int64, _ side: BodySide) throws(StoreFailure) -> RecordedHeads {
        let own = side == .request ? FrameSection.Kinds.requestHeads : .responseHeads
        var heads = RecordedHeads()
        try parts([own, .otherHeads], of: id) { part throws(StoreFailure) in
            part.read(own, to: &heads)
            return true
        }
        return heads
    }
}
