import Bytes

/// What a segment is made of: its length in four bytes, then this.
enum SegmentFrame {
    /// The first one of a segment.
    struct Head: Sendable {
        var first: Int64
        /// The key that secrets are replaced under.
        var key: [UInt8]
        /// Exchanges that began in an earlier segment and ran when this one was begun.
        var carried: [Int64]
    }

    /// Told from later forms.
    private static let (head, batch): (UInt8, UInt8) = (1, 2)
    private static let version = UInt64(StoreSchema.version)

    /// Appends a frame whose content `write` appends.
    private static func append(to out: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        let start = out.count
        out += [0, 0, 0, 0]
        write(&out)
        let count = UInt32(truncatingIfNeeded: out.count - start - 4)
        for index in 0..<4 { out[start + index] = UInt8(truncatingIfNeeded: count >> UInt32(8 * index)) }
    }

    static func append(_ head: Head, to out: inout [UInt8]) {
        append(to: &out) { out in
            out.append(Self.head)
            LEB128.append(version, to: &out)
            LEB128.append(UInt64(head.first), to: &out)
            LEB128.append(UInt64(head.key.count), to: &out)
            out += head.key
            LEB128.append(UInt64(head.carried.count), to: &out)
            for id in head.carried { LEB128.append(UInt64(id), to: &out) }
        }
    }

    static func append(_ batch: borrowing WriteBatch, first: Int64, to out: inout [UInt8]) {
        append(to: &out) { out in
            out.append(Self.batch)
            LEB128.append(UInt64(first), to: &out)
            batch.append(to: &out)
        }
    }

    /// nil if it is none of this form.
    static func head(_ frame: ArraySlice<UInt8>) -> Head? {
        var rest = frame
        guard rest.popFirst() == head, LEB128.read(&rest) == Int(version), let first = LEB128.read(&rest),
            let count = LEB128.read(&rest), rest.count >= count
        else { return nil }
        let key = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        guard let ids = LEB128.read(&rest) else { return nil }
        var carried: [Int64] = []
        for _ in 0..<ids {
            guard let id = LEB128.read(&rest) else { return nil }
            carried.append(Int64(id))
        }
        return Head(first: Int64(first), key: key, carried: carried)
    }

    /// Those rows of a batch whose exchange `keeps` wants, with the number of its first new exchange.
    static func batch(
        _ frame: ArraySlice<UInt8>, keeping keeps: (Int64) -> Bool
    ) -> (batch: WriteBatch, first: Int64)? {
        var rest = frame
        guard rest.popFirst() == batch, let first = LEB128.read(&rest),
            let batch = WriteBatch(&rest, first: Int64(first), keeping: keeps)
        else { return nil }
        return (batch, Int64(first))
    }
}
