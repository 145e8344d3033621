import Bytes
import HTTP
import Profiles
import Reactor
import Synchronization

/// From which profile each browser's last page of a site came, for `clearOnSwitch`.
///
/// Shared by all workers. A browser is told apart by its address, program and User-Agent. When there are too many, all are
/// forgotten.
final class SiteVisits: Sendable {
    private static let limit = 4096
    private let last = Mutex<[Int: String]>([:])

    /// Notes a page of a profile; returns whether the last one came from another.
    fileprivate func note(_ visitor: Int, _ profile: String) -> Bool {
        last.withLock { last in
            if last.count >= Self.limit, last[visitor] == nil { last.removeAll() }
            let before = last.updateValue(profile, forKey: visitor)
            return before != nil && before != profile
        }
    }
}

/// A request for a page, where a profile has `clearOnSwitch`.
final class SiteVisit {
    private let visitor: Int
    private let profile: Profile
    private let visits: SiteVisits

    /// nil where the request is for no page.
    init?(_ request: Request, of client: Client, _ profile: Profile) {
        guard request.head.method == .get, request.wantsHTML else { return nil }
        var hasher = Hasher()
        hasher.combine(client.peer?.host)
        hasher.combine(client.program?.found)
        for part in [request.head.authority, request.head.field(.userAgent)?.value ?? 0..<0] {
            request.bytes.extracting(part).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        (visitor, self.profile, visits) = (hasher.finalize(), profile, client.state.visits)
    }

    /// The field line of its response, with which a browser forgets what it has of other profiles.
    private(set) lazy var line: [UInt8] = {
        let cleared = profile.clearOnSwitch.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return visits.note(visitor, profile.name) && !cleared.isEmpty
            ? Array("Clear-Site-Data: \(cleared)\r\n".utf8) : []
    }()
}
