import Bytes

/// Reads heads that ``HeadsWriter`` wrote; broken ones are left out.
package struct RecordedHeads {
    private var heads = [[UInt8]?](repeating: nil, count: HeadsWriter.Section.allCases.count)

    package subscript(section: HeadsWriter.Section) -> [UInt8]? { heads[Int(section.rawValue)] }

    /// Reads sections, which may refer to sections that were read before.
    mutating func read(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let tag = rest.popFirst() {
            guard let count = LEB128.read(&rest), count <= rest.count,
                let section = HeadsWriter.Section(rawValue: tag & ~HeadsWriter.isLike)
            else { return }
            let body = rest.prefix(count)
            rest = rest.dropFirst(count)
            if tag & HeadsWriter.isLike == 0 {
                heads[Int(section.rawValue)] = Array(body)
            } else if let base = section.base, let other = self[base] {
                heads[Int(section.rawValue)] = Self.follow(body, other)
            }
        }
    }

    private static func follow(_ steps: ArraySlice<UInt8>, _ other: [UInt8]) -> [UInt8]? {
        var rest = steps
        var head: [UInt8] = []
        while !rest.isEmpty {
            guard let step = LEB128.read(&rest) else { return nil }
            let count = step >> 1
            if step & 1 == 0 {
                guard count <= rest.count else { return nil }
                head += rest.prefix(count)
                rest = rest.dropFirst(count)
            } else {
                guard let start = LEB128.read(&rest), start <= other.count, count <= other.count - start else {
                    return nil
                }
                head += other[start..<start + count]
            }
        }
        return head
    }
}
