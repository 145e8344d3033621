import Synchronization

/// What tells the requests apart to which responses are kept.
struct KeptKey: Hashable, Sendable {
    /// Profiles never see what others have kept.
    let profile: String
    let route: String
    /// The device, or the address of the client.
    let client: String
    let host: String
    let target: [UInt8]
    /// The field lines with credentials; empty for a response that is marked as public.
    let credentials: [UInt8]

    func withoutCredentials() -> KeptKey {
        KeptKey(profile: profile, route: route, client: client, host: host, target: target, credentials: [])
    }

    var size: Int { profile.utf8.count + route.utf8.count + host.utf8.count + target.count + credentials.count }
}

/// The last good responses of origins, in memory alone: they end with Shunt, and nothing of them is written to a disk.
///
/// Shared by all threads. Those of one profile with one `maxSize` share its space; where it ends, those that came first
/// are dropped.
final class KeptResponses: Sendable {
    /// Responses to one request that differ by Vary.
    fileprivate static let maxVariants = 16

    struct Group: Hashable {
        let profile: String
        let maxSize: Int
    }

    fileprivate struct Entry {
        let response: KeptResponse
        let number: UInt64
    }

    fileprivate struct Shelf {
        var entries: [KeptKey: [Entry]] = [:]
        /// Each entry in the order of its arrival, also those that others have replaced meanwhile.
        var order: [(key: KeptKey, number: UInt64)] = []
        var first = 0
        var count = 0
        var size = 0
        var last: UInt64 = 0
    }

    /// Seconds since 1970.
    let clock: @Sendable () -> Int64
    private let shelves = Mutex<[Group: Shelf]>([:])
    /// Groups of the present profiles; nil until these were read again.
    private let groups = Mutex<Set<Group>?>(nil)

    init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

    /// Drops the responses of all other groups, now and where an exchange of earlier profiles still keeps one.
    func keepOnly(_ present: Set<Group>) {
        groups.withLock { $0 = present }
        shelves.withLock { $0 = $0.filter { present.contains($0.key) } }
    }

    private func isPresent(_ group: Group) -> Bool { groups.withLock { $0?.contains(group) ?? true } }

    /// Bytes of all responses.
    var size: Int { shelves.withLock { $0.values.reduce(0) { $0 + $1.size } } }

    /// The response that fits a request, the latest of several.
    func find(_ key: KeptKey, maxSize: Int, where fits: (KeptResponse) -> Bool) -> KeptResponse? {
        shelves.withLock { shelves in
            guard let shelf = shelves[Group(profile: key.profile, maxSize: maxSize)] else { return nil }
            let entries = (shelf.entries[key] ?? []) + (shelf.entries[key.withoutCredentials()] ?? [])
            return entries.filter { fits($0.response) }.max { $0.number < $1.number }?.response
        }
    }

    /// Keeps a response in the place of the one to an equal request.
    func keep(_ response: KeptResponse, for key: KeptKey, maxSize: Int) {
        let key = response.isPublic ? key.withoutCredentials() : key
        let group = Group(profile: key.profile, maxSize: maxSize)
        shelves.withLock { shelves in
            guard isPresent(group) else { return }
            shelves[group, default: Shelf()].keep(response, key, maxSize)
        }
    }

    /// Puts a response that an origin's 304 is about in its own place again, as the 304 makes it.
    func renew(_ response: KeptResponse, by renewal: KeptResponse.Renewal, for key: KeptKey, maxSize: Int) {
        let renewed = response.renewed(by: renewal, at: clock())
        shelves.withLock { shelves in
            let group = Group(profile: key.profile, maxSize: maxSize)
            for key in [key, key.withoutCredentials()] { shelves[group]?.remove(key) { $0 === response } }
            shelves[group]?.keep(renewed, renewed.isPublic ? key.withoutCredentials() : key, maxSize)
        }
    }

    /// Drops all responses to a request, with these credentials and public ones.
    func drop(_ key: KeptKey, maxSize: Int) {
        shelves.withLock { shelves in
            for key in [key, key.withoutCredentials()] {
                shelves[Group(profile: key.profile, maxSize: maxSize)]?.remove(key) { _ in true }
            }
        }
    }
}

extension KeptResponses.Shelf {
    fileprivate mutating func keep(_ response: KeptResponse, _ key: KeptKey, _ maxSize: Int) {
        remove(key) { $0.isHead == response.isHead && $0.head.varied == response.head.varied }
        last += 1
        entries[key, default: []].append(KeptResponses.Entry(response: response, number: last))
        order.append((key, last))
        count += 1
        size += response.size + key.size
        if let oldest = entries[key]?.first, entries[key]?.count ?? 0 > KeptResponses.maxVariants {
            remove(key) { $0 === oldest.response }
        }
        while size > maxSize, first < order.count {
            let (key, number) = order[first]
            first += 1
            if let entry = entries[key]?.first(where: { $0.number == number }) {
                remove(key) { $0 === entry.response }
            }
        }
        if order.count > 2 * count + 64 { tidy() }
    }

    fileprivate mutating func remove(_ key: KeptKey, where isMeant: (KeptResponse) -> Bool) {
        guard let known = entries[key] else { return }
        let left = known.filter { !isMeant($0.response) }
        for entry in known where isMeant(entry.response) {
            size -= entry.response.size + key.size
            count -= 1
        }
        entries[key] = left.isEmpty ? nil : left
    }

    /// Forgets the places of entries that are gone.
    private mutating func tidy() {
        let entries = entries
        order = order[first...].filter { place in
            entries[place.key]?.contains { $0.number == place.number } ?? false
        }
        first = 0
    }
}
