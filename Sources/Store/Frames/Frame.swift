/// Heads, bodies and messages of exchanges that were written together, as bytes with a directory, as it was read.
final class Frame: Sendable {
    let number: Int64
    /// The exchanges that begin in it.
    let begun: ClosedRange<Int64>?
    let bytes: [UInt8]
    /// Of bodies that stand elsewhere, one behind the other.
    let digests: [UInt8]
    /// The sections of exchanges that begin here, and those of others.
    private let own: [FrameSection]
    private let others: [FrameSection]

    static let digestSize = 16

    init(number: Int64, begun: ClosedRange<Int64>?, directory: [UInt8], bytes: [UInt8], digests: [UInt8] = []) {
        (self.number, self.begun, self.bytes, self.digests) = (number, begun, bytes, digests)
        var rest = directory[...]
        var (own, others): ([FrameSection], [FrameSection]) = ([], [])
        while !rest.isEmpty, let section = FrameSection(&rest, of: bytes.count) {
            if section.begins { own.append(section) } else { others.append(section) }
        }
        (self.own, self.others) = (own, others)
    }

    /// The section of an exchange that begins here; nil if it is broken.
    func section(of exchange: Int64) -> FrameSection? {
        guard let begun, begun.contains(exchange), exchange - begun.lowerBound < own.count else { return nil }
        return own[Int(exchange - begun.lowerBound)]
    }

    /// A section of an exchange that began before.
    func section(at place: Int64) -> FrameSection? { place >= 0 && place < others.count ? others[Int(place)] : nil }

    /// The digest of a shared body; empty if it is broken.
    func digest(_ index: Int) -> [UInt8] {
        guard index < digests.count / Self.digestSize else { return [] }
        return Array(digests[index * Self.digestSize..<(index + 1) * Self.digestSize])
    }

    /// A frame in another form.
    struct Rewritten: Equatable {
        var directory: [UInt8] = []
        var bytes: [UInt8] = []
        /// The indexes of shared bodies that are used.
        var shared: Set<Int> = []
    }

    /// The same without some sections, and without bytes that only they had: of them an empty section stays.
    ///
    /// - Parameters:
    ///   - isKept: whether a section stays: of an exchange that begins here, or else at a place among the others.
    ///   - share: gives the index of a body that is to stand elsewhere.
    func rewritten(
        keeping isKept: (_ exchange: Int64?, _ place: Int64) -> Bool, sharing share: (Range<Int>) -> Int? = { _ in nil }
    ) -> Rewritten {
        var out = Rewritten()
        var moved: [Range<Int>: Range<Int>] = [:]
        func move(_ range: Range<Int>) -> Range<Int> {
            if range.isEmpty { return 0..<0 }
            if let known = moved[range] { return known }
            let start = out.bytes.count
            out.bytes += bytes[range]
            moved[range] = start..<out.bytes.count
            return start..<out.bytes.count
        }
        func move(_ body: FrameSection.Body) -> FrameSection.Body {
            guard let index = body.shared ?? share(body.place) else {
                return FrameSection.Body(place: move(body.place))
            }
            out.shared.insert(index)
            return FrameSection.Body(place: 0..<body.place.count, shared: index)
        }
        func add(_ known: FrameSection, isKept: Bool) {
            var section = known
            if isKept {
                section.requestHeads = move(section.requestHeads)
                section.responseHeads = move(section.responseHeads)
                section.otherHeads = move(section.otherHeads)
                for body in StoredBody.allCases { section[body] = move(section[body]) }
                for index in section.messages.indices {
                    section.messages[index].event = section.messages[index].event.map(move)
                    section.messages[index].eventID = section.messages[index].eventID.map(move)
                    section.messages[index].bytes = section.messages[index].bytes.map(move)
                }
            } else {
                section = FrameSection()
                section.begins = known.begins
            }
            section.append(to: &out.directory)
        }
        for (index, section) in own.enumerated() {
            add(section, isKept: isKept((begun?.lowerBound ?? 0) + Int64(index), 0))
        }
        for (place, section) in others.enumerated() { add(section, isKept: isKept(nil, Int64(place))) }
        return out
    }
}
