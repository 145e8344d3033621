package import Bytes

extension AddressMap {
    /// Writes an address in a response as the client's; false if it does not fit.
    ///
    /// - Parameter range: where it lies, without white space around it.
    func rewriteForClient(_ form: Form, _ range: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard !range.isEmpty, !copy.authority.isEmpty else { return true }
        guard let rest = restOfOwn(form, range, of: copy.bytes, text) else {
            guard let found = findOther(form, range, of: copy.bytes, text, client: copy.client) else { return true }
            return put(found, for: range.lowerBound, in: &copy, to: &out)
        }
        if isOwnTLS == copy.client.isSecure {
            let start = range.lowerBound &+ (isOwnTLS ? 8 : 7)
            return copy.replace(start..<rest, by: copy.authority, 0..<copy.authority.count, to: &out)
        }
        return put(
            ClientAddress(.address(isOwnTLS ? .https : .http, 0), rest: rest), for: range.lowerBound, in: &copy,
            to: &out)
    }

    private func put(
        _ found: ClientAddress, for start: Int, in copy: inout HeadCopy, to out: inout Buffer
    ) -> Bool {
        guard copy.upTo(start, to: &out) else { return false }
        let mark = out.count
        guard append(found.front, authority: copy.authority, client: copy.client, to: &out) else { return false }
        copy.skip(to: found.rest, since: mark, in: out)
        return true
    }

    /// Appends an address of a response, rewritten for the client.
    package func appendForClient(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Outcome {
        guard !range.isEmpty, !authority.isEmpty else { return .foreign }
        let own = restOfOwn(form, range, of: bytes, text)
        let found =
            own.map { ClientAddress(.address(isOwnTLS ? .https : .http, 0), rest: $0) }
            ?? findOther(form, range, of: bytes, text, client: client)
        guard let found else { return .foreign }
        let mark = out.count
        guard append(found.front, authority: authority, client: client, to: &out),
            out.appendWhole(bytes.extracting(found.rest..<range.upperBound))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    private func append(
        _ front: ClientAddress.Front, authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Bool {
        switch front {
        case .nothing: return true
        case .slash: return out.appendWhole("/")
        case .authority: return append(.http, client: client, to: &out) && out.appendWhole(authority)
        case .address(let scheme, let index):
            guard append(scheme, client: client, to: &out) else { return false }
            if address(index).clientHost.isEmpty { return out.appendWhole(authority) }
            return appendHost(of: address(index), text, authority: authority, client: client, to: &out)
                && out.appendWhole(authority.extracting(client.port(authority)))
        }
    }

    func append(_ scheme: AddressReference.Scheme, client: ClientName, to out: inout Buffer) -> Bool {
        switch scheme {
        case .inherited: out.appendWhole("//")
        case .http, .https: out.appendWhole(client.isSecure ? "https://" : "http://")
        case .ws, .wss: out.appendWhole(client.isSecure ? "wss://" : "ws://")
        }
    }

    /// The host that the client knows, with its label.
    func appendHost(
        of address: MappedAddress, _ text: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Bool {
        address.clientHost.isEmpty
            ? out.appendWhole(authority.extracting(client.host(authority)))
            : out.appendWhole(authority.extracting(client.label(authority)))
                && out.appendWhole(text.extracting(address.clientHost))
    }
}
