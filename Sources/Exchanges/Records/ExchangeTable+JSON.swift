package import JSON

/// Facts as members of objects that have more: of a line of the log, or of an archive's entry.
extension ExchangeTable {
    private static let logged = (
        texts: texts.compactMap { fact in fact.members.log.map { (fact.text, $0, fact.members.isAlwaysLogged) } },
        numbers: numbers.compactMap { fact in fact.members.log.map { (fact.number, $0, fact.members.isAlwaysLogged) } },
        flags: flags.compactMap { fact in fact.members.log.map { (fact.flag, $0) } }
    )

    /// Writes those that the log has, straight from the bytes of a record.
    static func write(_ record: ExchangeRecord, _ places: ExchangeRecord.Texts, to object: inout JSONWriter) {
        for (text, name, isAlways) in logged.texts {
            let place = places[text]
            guard place != nil || isAlways else { continue }
            object.key(plain: name)
            record.write(place, to: &object)
        }
        for (number, name, isAlways) in logged.numbers {
            let number = record.number(number)
            guard number != nil || isAlways else { continue }
            object.key(plain: name)
            record.write(number, to: &object)
        }
        let known = record.flags
        for (flag, name) in logged.flags where known.contains(flag) {
            object.key(plain: name)
            object.value(true)
        }
        record.eachList { index, texts in
            guard texts.count > 0, let name = lists[index].members.log else { return }
            object.key(plain: name)
            guard lists[index].parts.isEmpty else {
                return write(record.strings(texts), lists[index].parts, to: &object)
            }
            var rest = texts
            object.array { array in
                for _ in 0..<texts.count { record.write(record.next(&rest), to: &array) }
            }
        }
    }

    /// Writes those that an archive has; a zero that the log always has says nothing there.
    package static func write(archived exchange: borrowing Exchange, to object: inout JSONWriter) {
        for fact in texts {
            if let name = fact.members.archive, let text = fact.get(exchange) { object.member(name, text) }
        }
        let figures = exchange.figures
        for fact in numbers {
            guard let name = fact.members.archive, let number = fact.get(figures) else { continue }
            if number != 0 || !fact.members.isAlwaysLogged { object.member(name, number) }
        }
        for fact in flags where fact.get(figures) {
            if let name = fact.members.archive { object.member(name, true) }
        }
        for fact in lists {
            guard let name = fact.members.archive else { continue }
            let texts = fact.get(exchange)
            guard !texts.isEmpty else { continue }
            object.key(name)
            if fact.parts.isEmpty {
                object.array { for text in texts { $0.value(text) } }
            } else {
                write(texts, fact.parts, to: &object)
            }
        }
    }

    private static func write(_ texts: [String], _ parts: [List.Part], to object: inout JSONWriter) {
        object.array { array in
            for start in stride(from: 0, to: texts.count, by: parts.count) {
                array.object { item in
                    for (part, text) in zip(parts, texts[start...]) {
                        if part.isNumber {
                            item.member(part.name, Int(text) ?? 0)
                        } else {
                            item.member(part.name, text)
                        }
                    }
                }
            }
        }
    }

    /// Whether one of the lists that an archive has is not empty.
    package static func hasArchivedList(_ exchange: borrowing Exchange) -> Bool {
        for fact in lists where fact.members.archive != nil && !fact.get(exchange).isEmpty { return true }
        return false
    }

    /// Whether two exchanges without lists have the same facts, but for those that nearly all exchanges differ in.
    package static func isAlike(_ one: borrowing Exchange, _ other: borrowing Exchange) -> Bool {
        for fact in texts where fact.get(one) != fact.get(other) { return false }
        let (figures, others) = (one.figures, other.figures)
        for fact in numbers where fact.members.archive != nil && fact.get(figures) != fact.get(others) { return false }
        for fact in flags where fact.get(figures) != fact.get(others) { return false }
        return true
    }

    /// Reads what ``write(archived:to:)`` wrote; a member whose value is of another kind counts as missing.
    ///
    /// - Parameter exchange: has its origin, if there is one.
    package static func read(archived entry: JSONValue, to exchange: inout Exchange) {
        for fact in texts {
            if let name = fact.members.archive, let text = entry[name]?.string { fact.set(&exchange, text) }
        }
        for fact in numbers {
            guard let name = fact.members.archive, let number = entry[name]?.number?.int64 else { continue }
            fact.set(&exchange, Int64(max(0, number)))
        }
        for fact in flags {
            if let name = fact.members.archive, entry[name]?.bool == true { fact.set(&exchange) }
        }
        for fact in lists {
            guard let name = fact.members.archive, let items = entry[name]?.array else { continue }
            let texts = fact.parts.isEmpty ? items.compactMap(\.string) : items.flatMap { fact.texts(of: $0) }
            if !texts.isEmpty { fact.set(&exchange, texts) }
        }
    }
}

extension ExchangeTable.List {
    /// The parts of one; none if one is missing.
    fileprivate func texts(of item: JSONValue) -> [String] {
        let texts = parts.compactMap { part in
            part.isNumber ? item[part.name]?.number?.int64.map { String(max(0, $0)) } : item[part.name]?.string
        }
        return texts.count == parts.count ? texts : []
    }
}

extension ExchangeRecord {
    /// Writes one of its texts, or null.
    func write(_ place: Range<Int>?, to writer: inout JSONWriter) {
        if let place { writer.value(utf8: bytes.span.extracting(place)) } else { writer.null() }
    }

    /// Writes one of its numbers, or null.
    func write(_ number: Int64?, to writer: inout JSONWriter) {
        if let number { writer.value(number) } else { writer.null() }
    }
}
