import Bytes
import Platform
public import Profiles
public import Reactor
import Synchronization

/// The machines of users that respond in place of origins.
///
/// Shared by all threads.
public final class Attachments: Sendable {
    public static let limit = 64
    public static let limitPerUser = 8
    /// How long the first connection of one may take, in seconds.
    private static let patience: Int64 = 30

    private static let keyLength = 32

    private func isKey(_ text: String) -> Bool {
        text.hasSuffix(ending) && text.utf8.count == Self.keyLength + ending.utf8.count
            && text.utf8.prefix(Self.keyLength).allSatisfy { ByteSearch.hexDigit($0) != nil }
    }

    /// What a user asks for.
    public struct Wish: Sendable {
        public var user: String
        /// The public part of the user's token.
        public var token: String
        public var path: AttachedPath
        public var origin: OriginAddress
        public var client: SocketAddress?

        public init(user: String, token: String, path: AttachedPath, origin: OriginAddress, client: SocketAddress?) {
            (self.user, self.token, self.path, self.origin, self.client) = (user, token, path, origin, client)
        }
    }

    /// Why there is no new one.
    public enum Refusal: Error, Sendable {
        case tooMany(limit: Int)
        case tooManyOfUser(limit: Int)
        /// The user has this one for the same path.
        case taken(Attachment)
    }

    private struct State {
        var last = 0
        var all: [Attachment] = []
        var observers: [@Sendable (Attachment, String) -> Void] = []
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Int64
    /// The name of this node in a cluster, with which keys end: another node then knows whose they are.
    private let node: String?

    public convenience init(node: String?) { self.init(node: node) { Int64(time(nil)) } }

    /// - Parameter clock: seconds since 1970.
    package init(node: String? = nil, clock: @escaping @Sendable () -> Int64) {
        (self.node, self.clock) = (node, clock)
    }

    private var ending: String { node.map { "@\($0)" } ?? "" }

    /// The node whose attachment a key is for; nil for this one, and for what is no key of a node.
    func otherNode(in key: [UInt8]) -> String? {
        guard node != nil, let mark = key.firstIndex(of: UInt8(ascii: "@")), mark == Self.keyLength else { return nil }
        let name = String(decoding: key[(mark + 1)...], as: UTF8.self)
        return name == node ? nil : name
    }

    /// Those that there are, the oldest first.
    public var list: [Attachment] { state.withLock { $0.all } }

    public func find(_ id: Int) -> Attachment? { list.first { $0.id == id } }

    /// Calls `body` with each one that ends and the reason, on the thread that ends it.
    public func onEnd(_ body: @escaping @Sendable (Attachment, String) -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Begins one, to which connections are added.
    ///
    /// - Parameter known: the key of the one in whose place it is, whose connections are lost; it stays the same.
    public func add(_ wish: Wish, key known: String? = nil) throws(Refusal) -> Attachment {
        for old in list where old.key == known && old.user == wish.user { old.end("the machine has connected again") }
        for old in list where !old.isUp && old.since.advanced(by: Int(Self.patience)) < clock() {
            old.end("no connection has come")
        }
        var random = SystemRandomNumberGenerator()
        let digits = Hex.text((0..<Self.keyLength / 2).map { _ in UInt8.random(in: 0...255, using: &random) })
        let fresh = digits + ending
        let now = clock()
        return try state.withLock { state throws(Refusal) in
            let own = state.all.filter { $0.user == wish.user }
            if let same = own.first(where: { $0.pattern == wish.path.pattern }) { throw .taken(same) }
            guard own.count < Self.limitPerUser else { throw .tooManyOfUser(limit: Self.limitPerUser) }
            guard state.all.count < Self.limit else { throw .tooMany(limit: Self.limit) }
            let isFree = known.map { known in isKey(known) && !state.all.contains { $0.key == known } } ?? false
            let key = isFree ? known ?? fresh : fresh
            state.last += 1
            let new = Attachment(state.last, wish, key: key, since: now) { [weak self] in self?.didEnd($0, $1) }
            state.all.append(new)
            return new
        }
    }

    private func didEnd(_ attachment: Attachment, _ reason: String) {
        let observers = state.withLock { state in
            state.all.removeAll { $0 === attachment }
            return state.observers
        }
        for observer in observers { observer(attachment, reason) }
    }

    /// Tells of no end any more.
    func close() { state.withLock { $0.observers = [] } }
}
