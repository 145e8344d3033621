/// The addresses of a profile, which the maps of all its routes share.
public final class AddressBook: Sendable {
    /// The text of all addresses.
    ///
    /// Of the book's own, so that reading it retains nothing; written in `init` alone, and so safe to share.
    nonisolated(unsafe) let storage: UnsafeBufferPointer<UInt8>
    /// The hosts that routes name, each with an origin that responds for it; those with the longest base path in front.
    let addresses: ContiguousArray<MappedAddress>
    /// The hosts of all origins as URLs spell them, lower case, IPv6 addresses in brackets.
    let hosts: HostIndex
    /// By host of ``hosts``, which of ``addresses`` have it, as a range of ``members``, in the order of ``addresses``.
    private let memberRanges: ContiguousArray<Range<Int32>>
    private let members: ContiguousArray<Int32>
    /// The hosts that clients use, IPv6 addresses in brackets.
    private let clientHosts: HostIndex
    /// By host of ``clientHosts``, the first of ``addresses`` that it stands for.
    private let firstOfClient: ContiguousArray<Int32>
    private let origins: [OriginName: MappedAddress]
    /// The most bytes that an origin's address has in a body, with all that is removed and the bytes that decide.
    let maxLength: Int

    /// - Parameters:
    ///   - origins: all that maps will be made of.
    ///   - hosts: the hosts that routes name, each with the origin that responds for its `/`.
    public init(origins: [OriginName], hosts named: [(host: String, origin: OriginName)]) {
        var text = ContiguousArray<UInt8>()
        var known: [OriginName: MappedAddress] = [:]
        for origin in origins where known[origin] == nil {
            known[origin] = MappedAddress(origin, clientHost: "", to: &text)
        }
        // Of two that share an origin, the longer path says more exactly whose a URL is.
        let sorted = named.enumerated().sorted {
            let lengths = ($0.element.origin.basePath.utf8.count, $1.element.origin.basePath.utf8.count)
            return lengths.0 == lengths.1 ? $0.offset < $1.offset : lengths.0 > lengths.1
        }
        var addresses: ContiguousArray<MappedAddress> = []
        for (_, other) in sorted where !other.host.isEmpty && !other.host.utf8.contains(0x2A) {
            addresses.append(MappedAddress(other.origin, clientHost: other.host, to: &text))
        }
        // So that all words of eight bytes lie within.
        text += repeatElement(0, count: 8)

        let all = Array(addresses) + known.values
        var places: [Int] = []
        let hosts = HostIndex(all.map(\.spelledHost), in: text, places: &places)
        var byHost = Array(repeating: [Int32](), count: hosts.count)
        for at in addresses.indices where places[at] >= 0 { byHost[places[at]].append(Int32(at)) }
        var (members, ranges): (ContiguousArray<Int32>, ContiguousArray<Range<Int32>>) = ([], [])
        for group in byHost {
            ranges.append(Int32(members.count)..<Int32(members.count + group.count))
            members += group
        }
        let clientHosts = HostIndex(addresses.map(\.clientHost), in: text, places: &places)
        var firsts = ContiguousArray<Int32>(repeating: 0, count: clientHosts.count)
        for at in addresses.indices.reversed() where places[at] >= 0 { firsts[places[at]] = Int32(at) }
        // Each byte of a path may be a `\u002F`; scheme, slashes, port and the bytes behind are few.
        maxLength = all.map { $0.host.count + 6 * $0.basePath.count + 130 }.max() ?? 0
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
        _ = copy.initialize(from: text)
        storage = UnsafeBufferPointer(copy)
        (self.addresses, self.hosts, self.clientHosts) = (addresses, hosts, clientHosts)
        (self.members, memberRanges, firstOfClient, self.origins) = (members, ranges, firsts, known)
    }

    deinit { storage.deallocate() }

    var text: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(Span(_unsafeElements: storage), borrowing: self) }
    }

    /// One of the origins, with its host's place in ``hosts``; an address that no text names for any other origin.
    func origin(_ name: OriginName) -> (address: MappedAddress, host: Int) {
        guard let address = origins[name], let host = hosts.index(of: address.spelledHost, in: text, text) else {
            return (MappedAddress(of: name), -1)
        }
        return (address, host)
    }

    /// Which of ``addresses`` have a host.
    func addresses(of host: Int) -> Slice<ContiguousArray<Int32>> {
        let range = memberRanges[host]
        return Slice(base: members, bounds: Int(range.lowerBound)..<Int(range.upperBound))
    }

    /// The first of ``addresses`` that clients know by a host.
    func address(ofClient bytes: Span<UInt8>, _ host: Range<Int>) -> Int? {
        clientHosts.index(of: host, in: bytes, text).map { Int(firstOfClient[$0]) }
    }
}
