import Exchanges

extension TrafficReader {
    /// Messages of an exchange in their order, those behind a number.
    public func messages(of id: Int64, after number: Int64 = -1, limit: Int) throws(StoreFailure) -> [RecordedMessage] {
        var found: [RecordedMessage] = []
        let number = min(number, .max - 1)
        let first = try atOnce { () throws(StoreFailure) in try beginning(of: id) }
        // Most exchanges have none, which takes no query.
        if let section = first?.section, section.isWhole, section.messages.isEmpty { return found }
        guard limit > 0, try isThere(id) else { return found }
        if let first {
            Self.add(first, after: number, limit, to: &found)
            guard !first.section.isWhole else { return found }
        }
        var cursor = Cursor()
        if number >= 0 {
            // Those before it are not read again.
            let start = try ask(.messageEntry, id, number)
            if try start.step(), let message = start.integer(0) { cursor.message = message - 1 }
            start.reset()
            cursor.frame = .max
        }
        while found.count < limit, let part = try next(.messages, of: id, &cursor) {
            Self.add(part, after: number, limit, to: &found)
        }
        return found
    }

    private static func add(_ part: FramePart, after number: Int64, _ limit: Int, to found: inout [RecordedMessage]) {
        let section = part.section
        let known = Int(clamping: number + 1 - section.firstMessage)
        for (index, message) in section.messages.enumerated().dropFirst(max(0, known)) where found.count < limit {
            func text(_ place: Range<Int>?) -> String? {
                place.map { String(decoding: part.frame.bytes[$0], as: UTF8.self) }
            }
            found.append(
                RecordedMessage(
                    number: section.firstMessage + Int64(index), facts: message.facts, event: text(message.event),
                    eventID: text(message.eventID), isDropped: message.isDropped,
                    bytes: message.bytes.map { Array(part.frame.bytes[$0]) }))
        }
    }

    /// The number of an exchange's newest message; nil if it has none.
    public func newestMessage(of id: Int64) throws(StoreFailure) -> Int64? {
        try atOnce { () throws(StoreFailure) in
            let first = try beginning(of: id)?.section
            let statement = try ask(.newestMessage, id)
            defer { statement.reset() }
            if try statement.step(), let newest = statement.integer(0) { return newest }
            return first.flatMap { $0.messages.isEmpty ? nil : $0.firstMessage + Int64($0.messages.count) - 1 }
        }
    }
}
