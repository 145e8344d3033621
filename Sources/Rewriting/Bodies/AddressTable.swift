/// The addresses to find in a body, with their replacements: an ``AddressMap`` for one client.
struct AddressTable {
    let map: AddressMap
    /// The client's own scheme is https.
    let isSecure: Bool
    /// As the client's request named it.
    private let authority: [UInt8]
    private let label: ArraySlice<UInt8>
    private let port: ArraySlice<UInt8>

    init(map: AddressMap, authority: [UInt8], client: ClientName) {
        self.map = map
        self.authority = authority
        isSecure = client.isSecure
        label = authority.prefix(max(client.labelLength, 0))
        port = Self.port(of: authority)
    }

    /// The replacement of the host and port of one of the map's addresses.
    func authority(of index: Int) -> [UInt8] {
        let host = map.address(index).clientHost
        return host.isEmpty ? authority : label + map.text.extracting(host).copied + port
    }

    /// The `:port` at the end of an authority, or nothing.
    private static func port(of authority: [UInt8]) -> ArraySlice<UInt8> {
        guard let colon = authority.lastIndex(of: 0x3A), !authority[colon...].contains(0x5D) else { return [] }
        return authority[colon...]
    }
}

extension Span<UInt8> {
    fileprivate var copied: [UInt8] { indices.map { self[$0] } }
}
