extension ExchangeRecord {
    /// Writes facts into `bytes`, replacing its content.
    package static func write(_ exchange: borrowing Exchange, to bytes: inout [UInt8]) {
        write(
            exchange.figures, client: exchange.client.address, url: exchange.url, exchange.failure,
            ExchangeContext(exchange), to: &bytes)
    }

    /// Writes facts into `bytes`, replacing its content.
    package static func write(
        _ figures: borrowing ExchangeFigures, client: String, url: String, _ failure: borrowing Exchange.Failure?,
        _ context: ExchangeContext, to bytes: inout [UInt8]
    ) {
        bytes.removeAll(keepingCapacity: true)
        var lengths = (noText, noText, noText, noText, noText, Int32(truncatingIfNeeded: context.texts.count))
        // By index: a copy of a line of the table would count references to all that is in it.
        let (numbers, marks) = (ExchangeTable.numbers, ExchangeTable.flags)
        var flags: Flags = context.lists.isEmpty ? [] : .lists
        for index in marks.indices where marks[index].get(figures) { flags.insert(marks[index].flag) }
        let figures = copy figures
        bytes.append(addingCapacity: Self.headSize) { out in
            out.withUnsafeMutableBufferPointer { room, count in
                let room = UnsafeMutableRawBufferPointer(room)
                func put(_ number: Int64, _ index: Int) {
                    room.storeBytes(of: number, toByteOffset: 8 * index, as: Int64.self)
                }
                for index in numbers.indices { put(numbers[index].get(figures) ?? noNumber, index) }
                put(flags.rawValue, Number.flags.rawValue)
                room.storeBytes(of: lengths, toByteOffset: Self.lengths, as: type(of: lengths))
                count = Self.headSize
            }
        }
        lengths.0 = append(client, to: &bytes)
        lengths.1 = append(url, to: &bytes)
        if let failure = copy failure {
            lengths.2 = append(failure.text, to: &bytes)
            lengths.3 = append(failure.side, to: &bytes)
            lengths.4 = append(failure.stage, to: &bytes)
        }
        bytes.append(contentsOf: context.texts)
        if !context.lists.isEmpty { bytes.append(contentsOf: context.lists) }
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: lengths, toByteOffset: Self.lengths, as: type(of: lengths)) }
    }

    /// Appends a text, or the beginning of a very long one, and returns its length.
    fileprivate static func append(_ string: String, to bytes: inout [UInt8]) -> Int32 {
        var string = string
        // Not through its UTF-8 view, which is slower.
        return string.withUTF8 {
            let part = UnsafeBufferPointer(rebasing: $0.prefix(Int(Int32.max) >> 8))
            bytes.append(contentsOf: part)
            return Int32(truncatingIfNeeded: part.count)
        }
    }
}

extension ExchangeContext {
    static func texts(_ exchange: borrowing Exchange) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ExchangeRecord.contextHead)
        for (index, fact) in ExchangeTable.texts.enumerated() {
            let length = fact.get(exchange).map { ExchangeRecord.append($0, to: &bytes) } ?? ExchangeRecord.noText
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: 4 * index, as: Int32.self) }
        }
        return bytes
    }

    static func lists(_ exchange: borrowing Exchange) -> [UInt8] { bytes(of: ExchangeLists(exchange)) }

    /// Each list behind its count, each text behind its length; empty if all lists are empty.
    private static func bytes(of lists: ExchangeLists) -> [UInt8] {
        guard !lists.isEmpty else { return [] }
        var bytes: [UInt8] = []
        func add(count: Int) { withUnsafeBytes(of: Int32(truncatingIfNeeded: count)) { bytes.append(contentsOf: $0) } }
        for list in lists.texts {
            add(count: list.count)
            for text in list {
                let text = text.utf8.prefix(Int(Int32.max) >> 8)
                add(count: text.count)
                bytes.append(contentsOf: text)
            }
        }
        return bytes
    }
}
