import Bytes

/// The stage that takes `integrity` out of a page's scripts and links: their bodies may be rewritten, too, and a browser
/// would block them then.
final class IntegrityRemover: QueueingStage {
    private static let name = Array("integrity".utf8)

    private var tokens = HTMLTokens()
    var queue = StageQueue()
    var isAtEnd = false
    private(set) var removals = 0

    func look(_ bytes: Span<UInt8>, isLast: Bool) {
        var at = 0
        while let event = tokens.next(bytes, &at) {
            switch event {
            case .text(let range), .other(let range): queue += bytes.extracting(range).copied
            case .tag(let name, let isEnd):
                if !isEnd, name == "script" || name == "link" {
                    tokens.holdTag()
                } else {
                    queue += tokens.takeHeld()
                }
            case .heldText, .heldOther: queue += tokens.takeHeld()
            case .heldTag: append(tokens.takeHeld())
            }
        }
        if isLast { queue += tokens.takeHeld() }
    }

    /// Appends a tag without the attribute.
    private func append(_ tag: [UInt8]) {
        var (at, start) = (0, 0)
        while let attribute = Self.attribute(of: tag, after: &at) {
            guard tag[attribute.name].map({ ByteSearch.lowercased($0) }) == Self.name else { continue }
            queue += tag[start..<attribute.name.lowerBound]
            start = attribute.end
            removals += 1
        }
        queue += tag[start...]
    }

    /// The next attribute's name, and where its value ends (HTML 13.2.5.32).
    private static func attribute(of tag: [UInt8], after at: inout Int) -> (name: Range<Int>, end: Int)? {
        func isSpace(_ index: Int) -> Bool { ByteSearch.isSpace(tag[index]) || tag[index] == 0x0C }
        func skip(_ index: Int, while holds: (Int) -> Bool) -> Int {
            var index = index
            while index < tag.count, holds(index) { index += 1 }
            return index
        }
        if at == 0 { at = skip(1) { !isSpace($0) && tag[$0] != 0x2F } }
        let start = skip(at) { isSpace($0) || tag[$0] == 0x2F }
        guard start < tag.count, tag[start] != 0x3E else { return nil }
        let end = skip(start + 1) { !isSpace($0) && ![0x2F, 0x3E, 0x3D].contains(tag[$0]) }
        at = end
        let equals = skip(end, while: isSpace)
        guard equals < tag.count, tag[equals] == 0x3D else { return (start..<end, end) }
        let value = skip(equals + 1, while: isSpace)
        if value < tag.count, tag[value] == 0x22 || tag[value] == 0x27 {
            at = min(skip(value + 1) { tag[$0] != tag[value] } + 1, tag.count)
        } else {
            at = skip(value) { !isSpace($0) && tag[$0] != 0x3E }
        }
        return (start..<end, at)
    }
}
