public import Bytes

extension AddressMap {
    /// Appends what a request says of an address as the origin is to see it.
    ///
    /// - Parameters:
    ///   - range: where it lies in `bytes`, without white space around it.
    ///   - authority: the request's, as the client sent it.
    public func appendForOrigin(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Outcome {
        guard let first = range.first, !authority.isEmpty else { return .foreign }
        let storage = storage
        let text = storage.span
        guard let reference = AddressReference(bytes, range) else {
            guard form == .reference, bytes[first] == 0x2F else { return .foreign }
            return appendPath(range, of: bytes, text, to: &out)
        }
        guard reference.scheme == (client.isSecure ? .https : .http),
            form != .origin || reference.end == range.upperBound,
            let address = address(of: reference, bytes, text, authority: authority, client: client)
        else { return .foreign }
        let mark = out.count
        let prefix = address.prefix.lowerBound..<(form == .origin ? address.prefix : address.basePath).upperBound
        guard out.appendWhole(text.extracting(prefix)),
            out.appendWhole(bytes.extracting(reference.end..<range.upperBound))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// A path from the root with the own origin's base path in front.
    private func appendPath(
        _ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>, to out: inout Buffer
    ) -> Outcome {
        let base = addresses[0].basePath
        guard !base.isEmpty, range.count == 1 || bytes[range.lowerBound &+ 1] != 0x2F else { return .foreign }
        let mark = out.count
        guard out.appendWhole(text.extracting(base)), out.appendWhole(bytes.extracting(range)) else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// Whom a client's URL means: who answers this request, or who answers for another host under the same label.
    private func address(
        of reference: AddressReference, _ bytes: Span<UInt8>, _ text: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName
    ) -> MappedAddress? {
        guard let own = AddressReference(client.isSecure ? .https : .http, authority, 0..<authority.count),
            own.effectivePort(isTLS: client.isSecure) == reference.effectivePort(isTLS: client.isSecure)
        else { return nil }
        if AddressText.isSame(bytes, reference.host, authority, own.host) { return addresses[0] }
        let label = client.label(authority)
        let start = reference.host.lowerBound
        guard reference.host.count > label.count,
            AddressText.isSame(bytes, start..<start &+ label.count, authority, label)
        else { return nil }
        let host = start &+ label.count..<reference.host.upperBound
        for address in addresses where !address.clientHost.isEmpty {
            var known = address.clientHost
            if text[known.lowerBound] == 0x5B {
                guard label.isEmpty else { continue }
                known = known.lowerBound &+ 1..<known.upperBound &- 1
            }
            if AddressText.isSame(bytes, host, text, known) { return address }
        }
        return nil
    }
}
