import Bytes

/// The addresses to find in a text, with their replacements: an ``AddressMap`` for one client, in one direction.
struct AddressTable: Sendable {
    /// What takes the place of an address.
    private struct Replacement {
        let isSecure: Bool
        /// Host, port and base path.
        let text: [UInt8]
    }

    /// Has the addresses to find.
    let map: AddressMap
    /// As the client's request named it.
    private let authority: [UInt8]
    private let client: ClientName
    /// Those of origins, by their place in the map; nil where the client's take the place of origins'.
    private let origins: [Replacement]?

    /// Origins' addresses, which become the client's.
    init(map: AddressMap, authority: [UInt8], client: ClientName) {
        self.map = map
        self.authority = authority
        self.client = client
        origins = nil
    }

    /// The client's addresses, which become those of the origins that they stand for.
    init(forOriginsOf map: AddressMap, authority: [UInt8], client: ClientName) {
        let text = map.text
        func replacement(_ address: MappedAddress) -> Replacement {
            let start = address.prefix.lowerBound + (address.isTLS ? 8 : 7)
            return Replacement(
                isSecure: address.isTLS, text: text.extracting(start..<address.basePath.upperBound).copied)
        }
        let port =
            AddressReference(client.isSecure ? .https : .http, authority.span, 0..<authority.count)?
            .effectivePort(isTLS: client.isSecure)
        let label = authority.span.extracting(client.label(authority.span)).copied
        func name(_ host: [UInt8]) -> OriginName {
            let plain = host.first == 0x5B ? Array(host.dropFirst().dropLast()) : host
            return OriginName(
                isTLS: client.isSecure, host: String(decoding: plain, as: UTF8.self).lowercased(),
                port: port ?? 0, basePath: "")
        }
        let own = name(authority.span.extracting(client.host(authority.span)).copied)
        var replacements = [replacement(map.own)]
        var others: [(host: String, origin: OriginName)] = []
        for index in map.book.addresses.indices {
            let address = map.book.addresses[index]
            let host = text.extracting(address.clientHost).copied
            // The first of several that a host stands for; an IPv6 address has no place for a label.
            guard map.book.address(ofClient: host.span, 0..<host.count) == index,
                label.isEmpty || host.first != 0x5B, name(label + host) != own
            else { continue }
            others.append((host: "x", origin: name(label + host)))
            replacements.append(replacement(address))
        }
        self.map = AddressMap(own: own, others: others)
        self.authority = authority
        self.client = client
        origins = replacements
    }

    /// Whether it was made for a client's name.
    func isFor(_ authority: [UInt8], _ client: ClientName) -> Bool {
        self.authority == authority && self.client.isSecure == client.isSecure
            && self.client.hostLength == client.hostLength && self.client.labelLength == client.labelLength
    }

    private func replacement(of index: Int) -> Replacement {
        if let origins { return origins[index] }
        let host = map.address(index).clientHost
        let name = authority.span
        let text =
            host.isEmpty
            ? authority
            : name.extracting(client.label(name)).copied + map.text.extracting(host).copied
                + name.extracting(client.port(name)).copied
        return Replacement(isSecure: client.isSecure, text: text)
    }

    /// Appends the replacement of an address: another scheme, host and port around the colon and slashes as they were.
    func append(_ match: AddressMatch, of bytes: Span<UInt8>, to out: inout [UInt8]) {
        let head = match.head
        let replacement = replacement(of: match.address)
        if let scheme = head.scheme {
            let text: StaticString =
                scheme.isWebSocket
                ? (replacement.isSecure ? "wss" : "ws") : replacement.isSecure ? "https" : "http"
            out.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        out += bytes.extracting(head.schemeEnd..<head.slashes.range.upperBound).copied
        if head.slashes.form == .percent {
            // The F of %2F determines the case.
            append(encoded: replacement.text, isUpperCase: bytes[head.slashes.range.upperBound - 1] == 0x46, to: &out)
        } else {
            out += replacement.text
        }
    }

    private func append(encoded text: [UInt8], isUpperCase: Bool, to out: inout [UInt8]) {
        for byte in text {
            switch byte {
            case 0x2F, 0x3A, 0x5B, 0x5D:
                let low = byte & 0x0F
                out.append(0x25)
                out.append(0x30 + byte >> 4)
                out.append(low < 10 ? 0x30 + low : (isUpperCase ? 0x37 : 0x57) + low)
            default: out.append(byte)
            }
        }
    }
}

extension Span<UInt8> {
    var copied: [UInt8] { indices.map { self[$0] } }
}
