import Bytes
import Exchanges
import Platform

/// The columns of the table `context` beside its numbers: facts that many exchanges share.
enum ContextColumns {
    /// Those beside ``ExchangeTable/texts``, which follow.
    static let own = ["client", "request_type", "response_type"]
    static let names = own + ExchangeTable.texts.map(\.column)

    static let definitions = names.map { "\($0) TEXT" }.joined(separator: ", ")
}

/// The contexts of a batch, so that each is written once.
struct ContextTable {
    /// The source of a context.
    struct Source {
        /// In the form of an ``ExchangeContext``.
        var texts: UnsafeRawBufferPointer
        var client: UnsafeRawBufferPointer
        /// Media types, in small letters; empty without one.
        var requestType: UnsafeRawBufferPointer
        var responseType: UnsafeRawBufferPointer
    }

    private struct Entry {
        var hash: UInt64 = 0
        /// The first exchange that has it, among the batch's new ones.
        var first: Int64 = -1
        /// The place of its parts, one behind the other.
        var start = 0
        var counts: (texts: Int, client: Int, requestType: Int, responseType: Int) = (0, 0, 0, 0)
    }

    private static let count = 256
    /// Slots that one context may have: with one alone, two that meet there would take it from each other all the time.
    private static let probes = 4
    private var entries = ContiguousArray(repeating: Entry(), count: count)
    private var isEmpty = true
    private var bytes: [UInt8] = []

    /// The first exchange of the batch with this context, if known; otherwise this one becomes it.
    mutating func first(_ source: Source, _ exchange: Int64) -> Int64 {
        let hash = Self.hash(source)
        let home = Int(truncatingIfNeeded: hash) & (Self.count &- 1)
        // The context that had the slot may get a second row, which does no harm.
        var slot = home
        for step in 0..<Self.probes {
            let next = (home &+ step) & (Self.count &- 1)
            if entries[next].first < 0 {
                slot = next
                break
            }
            if entries[next].hash == hash, isSame(entries[next], source) { return entries[next].first }
        }
        entries[slot] = Entry(
            hash: hash, first: exchange, start: bytes.count,
            counts: (source.texts.count, source.client.count, source.requestType.count, source.responseType.count))
        for part in [source.texts, source.client, source.requestType, source.responseType] {
            bytes.append(contentsOf: part)
        }
        isEmpty = false
        return exchange
    }

    mutating func removeAll() {
        guard !isEmpty else { return }
        for index in entries.indices { entries[index] = Entry() }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 17)
        isEmpty = true
    }

    private func isSame(_ entry: Entry, _ source: Source) -> Bool {
        entry.counts
            == (source.texts.count, source.client.count, source.requestType.count, source.responseType.count)
            && bytes.withSpan { bytes in
                var at = entry.start
                func isNext(_ part: UnsafeRawBufferPointer) -> Bool {
                    defer { at += part.count }
                    return bytes.equals(at..<at + part.count, part)
                }
                return isNext(source.texts) && isNext(source.client) && isNext(source.requestType)
                    && isNext(source.responseType)
            }
    }

    private static func hash(_ source: Source) -> UInt64 {
        var hash = BodyCache.hash(source.texts, shape: source.client.count)
        hash = BodyCache.hash(source.client, shape: Int(truncatingIfNeeded: hash))
        hash = BodyCache.hash(source.requestType, shape: Int(truncatingIfNeeded: hash))
        return BodyCache.hash(source.responseType, shape: Int(truncatingIfNeeded: hash))
    }
}
