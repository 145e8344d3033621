import Reactor
import Synchronization
import TLS

/// Responses about revocation that still hold, for all workers.
///
/// Bounded: a server cannot fill memory with certificates or lists.
final class RevocationCache: Sendable {
    private static let maxStatuses = 1024
    /// Bytes of all lists.
    private static let maxListBytes = 48 << 20

    typealias Download = Errand<Result<[UInt8], FetchFailure>>

    /// Lists that are downloaded at once, each with memory of its own.
    private static let maxDownloads = 8
    private let downloads = Mutex<[String: Download]>([:])
    /// Threads that read lists.
    let readers = Threads(name: "revocation", limit: 2)

    private static func key(_ request: PlainFetch.Request) -> String { "\(request.allowsPrivate) \(request.url)" }

    private struct Lists {
        var byURL: [String: (bytes: [UInt8], until: Int64)] = [:]
        var size = 0
    }

    private struct Source: Hashable {
        let key: String
        let isList: Bool
    }

    /// Lists and responders apart, since rules may want one of them alone.
    private let statuses = Mutex<[Source: (status: RevocationStatus, until: Int64)]>([:])
    private let lists = Mutex<Lists>(Lists())
    /// URLs that failed, with the reason: not every connection has to wait for a responder that is down.
    private let failures = Mutex<[String: (reason: String, until: Int64)]>([:])

    func status(of check: RevocationCheck, byList isList: Bool, now: Int64) -> RevocationStatus? {
        statuses.withLock { $0[Source(key: check.key, isList: isList)].flatMap { $0.until > now ? $0.status : nil } }
    }

    /// Revocations are kept for an hour, since they are hardly ever taken back.
    func keep(_ status: RevocationStatus, of check: RevocationCheck, byList isList: Bool, now: Int64) {
        let until: Int64
        switch status {
        case .good(let end): until = end
        case .revoked: until = now + 3600
        case .unknown: return
        }
        statuses.withLock { statuses in
            if statuses.count >= Self.maxStatuses { statuses.removeAll() }
            statuses[Source(key: check.key, isList: isList)] = (status, until)
        }
    }

    func list(at url: String, now: Int64) -> [UInt8]? {
        lists.withLock { $0.byURL[url].flatMap { $0.until > now ? $0.bytes : nil } }
    }

    func keep(list bytes: [UInt8], at url: String, until: Int64) {
        lists.withLock { lists in
            if lists.size + bytes.count > Self.maxListBytes { lists = Lists() }
            lists.size += bytes.count - (lists.byURL[url]?.bytes.count ?? 0)
            lists.byURL[url] = (bytes, until)
        }
    }

    /// The download of a list, which is under way unless it is new; nil where there are too many others.
    func download(_ request: PlainFetch.Request) -> (download: Download, isNew: Bool)? {
        downloads.withLock { downloads in
            if let known = downloads[Self.key(request)] { return (known, false) }
            guard downloads.count < Self.maxDownloads else { return nil }
            let download = Download()
            downloads[Self.key(request)] = download
            return (download, true)
        }
    }

    func end(_ request: PlainFetch.Request, _ result: Result<[UInt8], FetchFailure>) {
        downloads.withLock { $0.removeValue(forKey: Self.key(request)) }?.finish(result)
    }

    func failure(at url: String, now: Int64) -> String? {
        failures.withLock { $0[url].flatMap { $0.until > now ? $0.reason : nil } }
    }

    func keep(failure reason: String, at url: String, now: Int64) {
        failures.withLock { failures in
            if failures.count >= Self.maxStatuses { failures.removeAll() }
            failures[url] = (reason, now + 60)
        }
    }
}
