package import JSON

/// Facts as members of objects that have more: of a line of the log, or of an archive's entry.
extension ExchangeTable {
    package enum Form: Sendable { case log, archive }

    /// Writes those that have a member.
    package static func write(_ exchange: borrowing Exchange, as form: Form, to object: inout JSONWriter) {
        for fact in texts {
            guard let name = fact.members[form] else { continue }
            let text = fact.get(exchange)
            if text != nil || fact.members.isAlwaysLogged && form == .log { object.member(name, text) }
        }
        let figures = exchange.figures
        for fact in numbers {
            guard let name = fact.members[form] else { continue }
            let number = fact.get(figures)
            switch form {
            case .log:
                if number != nil || fact.members.isAlwaysLogged { object.member(name, number.map { Int($0) }) }
            case .archive:
                // A zero that the log always has says nothing there.
                if let number, number != 0 || !fact.members.isAlwaysLogged { object.member(name, number) }
            }
        }
        for fact in flags where fact.get(figures) {
            if let name = fact.members[form] { object.member(name, true) }
        }
        for fact in lists {
            guard let name = fact.members[form] else { continue }
            let texts = fact.get(exchange)
            guard !texts.isEmpty else { continue }
            if fact.parts.isEmpty { object.member(name, texts) } else { write(texts, fact, name, to: &object) }
        }
    }

    private static func write(_ texts: [String], _ fact: List, _ name: String, to object: inout JSONWriter) {
        object.array(name) { array in
            for start in stride(from: 0, to: texts.count, by: fact.parts.count) {
                array.object { item in
                    for (part, text) in zip(fact.parts, texts[start...]) {
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

    /// Reads what ``write(_:as:to:)`` wrote into an archive; a member whose value is of another kind counts as missing.
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

extension ExchangeTable.Members {
    fileprivate subscript(_ form: ExchangeTable.Form) -> String? { form == .log ? log : archive }
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
