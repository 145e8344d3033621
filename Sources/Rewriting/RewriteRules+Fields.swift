public import Bytes
public import HTTP

extension RewriteRules {
    /// Whether an answer lets just the page read it that asked, under the name that the origin was told.
    ///
    /// One origin may stand behind several of the client's hosts; then only the request tells which one is meant.
    /// `out` is needed for a moment, and stays as it is.
    public func allows(
        page: Field, from requestBytes: Span<UInt8>, by field: Field, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, scratch out: inout Buffer
    ) -> Bool {
        guard let map else { return false }
        let mark = out.count
        defer { out.truncate(to: mark) }
        guard
            case .appended = map.appendForOrigin(
                .origin, page.value, of: requestBytes, authority: authority, client: client, to: &out),
            out.count - mark == field.value.count
        else { return false }
        let name = out.bytes
        for offset in 0..<field.value.count where name[mark + offset] != bytes[field.value.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Fields of requests that name addresses; false where something does not fit, and nothing was appended then.
    func append(
        requestAddress form: AddressMap.Form, _ change: RewriteChanges, _ field: Field, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard let map else { return out.appendWhole(bytes.extracting(field.line)) }
        let mark = out.count
        guard out.appendWhole(bytes.extracting(field.line.lowerBound..<field.value.lowerBound)) else { return false }
        let outcome = map.appendForOrigin(
            form, field.value, of: bytes, authority: authority, client: client, to: &out)
        return finish(
            outcome.copying(field.value, of: bytes, to: &out), change, field, from: bytes, since: mark, to: &out,
            changes: &changes)
    }

    /// The same for those of answers.
    func append(
        answerAddress form: AddressMap.Form, _ change: RewriteChanges, _ field: Field, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard let map else { return out.appendWhole(bytes.extracting(field.line)) }
        let mark = out.count
        guard out.appendWhole(bytes.extracting(field.line.lowerBound..<field.value.lowerBound)) else { return false }
        let outcome = map.appendForClient(
            form, field.value, of: bytes, authority: authority, client: client, to: &out)
        return finish(
            outcome.copying(field.value, of: bytes, to: &out), change, field, from: bytes, since: mark, to: &out,
            changes: &changes)
    }

    /// The same for those in which addresses lie among other things.
    func append(
        composite field: Field, _ change: RewriteChanges, from bytes: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        let mark = out.count
        guard out.appendWhole(bytes.extracting(field.line.lowerBound..<field.value.lowerBound)) else { return false }
        let outcome =
            switch (field.id, map) {
            case (.link, let map?):
                map.appendLink(field.value, of: bytes, authority: authority, client: client, to: &out)
            case (.refresh, let map?):
                map.appendRefresh(field.value, of: bytes, authority: authority, client: client, to: &out)
            case (_, let map):
                SecurityPolicy(map: map, removesPins: settings.removesPins, client: client)
                    .append(field.value, of: bytes, authority: authority, to: &out)
            }
        return finish(outcome, change, field, from: bytes, since: mark, to: &out, changes: &changes)
    }

    /// Ends a line whose value was appended behind its name, or takes it back.
    private func finish(
        _ outcome: FieldOutcome, _ change: RewriteChanges, _ field: Field, from bytes: Span<UInt8>, since mark: Int,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        switch outcome {
        case .emptied:
            out.truncate(to: mark)
            changes.insert(change)
            return true
        case .written:
            let value = mark &+ (field.value.lowerBound &- field.line.lowerBound)..<out.count
            let isSame = AddressText.isEqual(bytes, field.value, out.bytes, value)
            if out.appendWhole(bytes.extracting(field.value.upperBound..<field.line.upperBound)) {
                if !isSame { changes.insert(change) }
                return true
            }
        case .noRoom: break
        }
        out.truncate(to: mark)
        return false
    }
}

extension AddressMap.Outcome {
    /// What is foreign goes on as it came.
    fileprivate func copying(_ value: Range<Int>, of bytes: Span<UInt8>, to out: inout Buffer) -> FieldOutcome {
        switch self {
        case .appended: .written
        case .foreign: out.appendWhole(bytes.extracting(value)) ? .written : .noRoom
        case .noRoom: .noRoom
        }
    }
}
