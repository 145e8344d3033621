public import Bytes
public import HTTP

extension RewriteRules {
    /// Appends those of an answer's fields that are in ``answerNames``, as the client is to see them.
    ///
    /// False if they do not all fit.
    ///
    /// - Parameters:
    ///   - dropped: names that are left out all the same.
    ///   - requestFields: those of the request, which lie in `requestBytes`; they name the page that asks.
    public func append(
        answerFields fields: [Field], dropping dropped: FieldNameSet, from bytes: Span<UInt8>,
        to requestFields: [Field], of requestBytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        let wanted = answerNames.subtracting(dropped)
        // Held once for all fields.
        let (map, addresses) = (map, settings.addresses)
        for field in fields where wanted.contains(field.id) && !field.isHopByHop {
            if field.id == .accessControlAllowOrigin, let page = requestFields.first(where: { $0.id == .origin }),
                allows(
                    page: page, from: requestBytes, by: field, from: bytes, authority: authority, client: client)
            {
                changes.insert(.allowOrigin)
                guard HeadWriter.appendField(field.id, requestBytes.extracting(page.value), to: &out) else {
                    return false
                }
                continue
            }
            guard
                write(
                    answerField: field, map, addresses, from: bytes, authority: authority, client: client, to: &out,
                    changes: &changes)
            else { return false }
        }
        return true
    }

    /// Whether an answer lets just the page read it that asked, under the name that the origin was told.
    ///
    /// One origin may stand behind several of the client's hosts; then only the request tells which one is meant.
    public func allows(
        page: Field, from requestBytes: Span<UInt8>, by field: Field, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName
    ) -> Bool {
        map?.isOrigin(page.value, of: requestBytes, field.value, of: bytes, authority: authority, client: client)
            ?? false
    }

    /// Whom an address is told.
    enum Recipient { case origin, client }

    /// Fields that are an address; false where it does not fit, and nothing was appended then.
    @inline(__always)
    func append(
        address form: AddressMap.Form, for recipient: Recipient, _ change: RewriteChanges, _ field: Field,
        _ map: AddressMap, from bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName, to out: inout Buffer,
        changes: inout RewriteChanges
    ) -> Bool {
        let (line, value) = (field.line, field.value)
        let mark = out.count
        guard out.appendWhole(bytes.extracting(line.lowerBound..<value.lowerBound)) else { return false }
        let start = out.count
        let outcome =
            recipient == .origin
            ? map.appendForOrigin(
                form, value, through: line.upperBound, of: bytes, authority: authority, client: client, to: &out)
            : map.appendForClient(
                form, value, through: line.upperBound, of: bytes, authority: authority, client: client, to: &out)
        switch outcome {
        case .appended:
            if !AddressText.isEqual(bytes, value.lowerBound..<line.upperBound, out.bytes, start..<out.count) {
                changes.insert(change)
            }
            return true
        case .foreign:
            if out.appendWhole(bytes.extracting(value.lowerBound..<line.upperBound)) { return true }
        case .noRoom: break
        }
        out.truncate(to: mark)
        return false
    }

    /// Fields in which addresses lie among other things.
    @inline(__always)
    func append(
        composite field: Field, _ change: RewriteChanges, _ map: AddressMap?, from bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
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
    @inline(__always)
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
