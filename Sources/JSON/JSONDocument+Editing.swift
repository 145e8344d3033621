extension JSONDocument {
    /// What is done at a path.
    enum Change {
        case remove
        case set(JSONLiteral)
        case append(JSONLiteral)
        case increment(JSONNumber)
    }

    /// Makes a change at all places that a path leads to; false where it changes nothing.
    ///
    /// A key that an object has several times is changed wherever it stands, since readers differ on which one counts.
    func make(_ change: Change, at path: ArraySlice<JSONPath.Step>) -> Bool {
        guard let step = path.first else { return make(change) }
        guard open() else { return false }
        let rest = path.dropFirst()
        let found = indices(of: step)
        if rest.isEmpty, case .remove = change {
            for index in found.reversed() { remove(index) }
            return !found.isEmpty
        }
        var isChanged = false
        for index in found where child(index).make(change, at: rest) { isChanged = true }
        guard found.isEmpty, inside?.isObject == true, case .set(let value) = change, case .key(let name) = step else {
            return isChanged
        }
        guard let value = value.below(rest) else { return false }
        add(value, named: Array(name.utf8))
        return true
    }

    /// The same here.
    private func make(_ change: Change) -> Bool {
        switch change {
        // A text without a value would be none.
        case .remove: return false
        case .set(let value): return replace(by: value.text)
        case .append(let value):
            guard open(), inside?.isObject == false else { return false }
            add(value.text, named: nil)
            return true
        case .increment(let step):
            guard let number = literal?.value.number, let sum = number.adding(step) else { return false }
            return replace(by: Array(sum.text.utf8))
        }
    }

    /// Merges a patch (RFC 7396); false where it changes nothing.
    func merge(_ patch: JSONValue) -> Bool {
        guard let members = patch.object else { return replace(by: JSONLiteral(patch).text) }
        var isChanged = false
        if !open() || inside?.isObject != true { isChanged = replace(by: Array("{}".utf8)) && open() }
        for member in members {
            let found = indices(of: .key(member.key))
            if member.value.isNull {
                for index in found.reversed() { remove(index) }
                isChanged = isChanged || !found.isEmpty
            } else if found.isEmpty {
                add(JSONLiteral(member.value.merged).text, named: Array(member.key.utf8))
                isChanged = true
            } else {
                for index in found where child(index).merge(member.value) { isChanged = true }
            }
        }
        return isChanged
    }

    /// Whether a value at a path is the wanted one.
    func has(_ wanted: JSONLiteral, at path: ArraySlice<JSONPath.Step>) -> Bool {
        guard let step = path.first else { return literal.map { $0.value.isEqual(to: wanted.value) } ?? false }
        guard open() else { return false }
        return indices(of: step).contains { child($0).has(wanted, at: path.dropFirst()) }
    }

    private var literal: JSONLiteral? { try? JSONLiteral(JSONReader.read(value, dialect: .strict)) }

    private func indices(of step: JSONPath.Step) -> [Int] {
        guard let inside else { return [] }
        switch step {
        case .any: return Array(inside.entries.indices)
        case .item(let number): return !inside.isObject && number < inside.entries.count ? [number] : []
        case .key(let name):
            guard inside.isObject else { return [] }
            let name = Array(name.utf8)
            return inside.entries.indices.filter { isNamed(inside.entries[$0], name) }
        }
    }

    private func remove(_ index: Int) {
        guard var inside = inside.take() else { return }
        let removed = inside.entries.remove(at: index)
        // The first one keeps the first one's place.
        if index == 0, !inside.entries.isEmpty { inside.entries[0].lead = removed.lead }
        self.inside = inside
    }

    /// Puts a value at the end, in the style of the one before it.
    private func add(_ value: [UInt8], named name: [UInt8]?) {
        guard let inside else { return }
        let last = inside.entries.last
        let style = last.map { text[$0.keyEnd..<$0.value.lowerBound] } ?? []
        let place = last?.lead ?? inside.tail.upperBound..<inside.tail.upperBound
        var entry = Entry(
            lead: place, head: place.upperBound..<place.upperBound, keyEnd: place.upperBound,
            value: place.upperBound..<place.upperBound, end: place.upperBound)
        entry.front = name.map { Self.front($0, style) } ?? []
        entry.own = JSONDocument(value: value)
        self.inside?.entries.append(entry)
    }
}

extension JSONValue {
    /// What a patch makes of nothing: the same without members that are null (RFC 7396).
    fileprivate var merged: JSONValue {
        guard let members = object else { return self }
        let kept = members.filter { !$0.value.isNull }.map {
            JSONMember(key: $0.key, keyPosition: $0.keyPosition, value: $0.value.merged)
        }
        return JSONValue(kind: .object(kept), position: position)
    }
}
