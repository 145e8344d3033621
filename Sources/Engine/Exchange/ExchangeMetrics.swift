import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
import Traffic

/// What is remembered of the exchange under way, to be written down when it is over.
struct ExchangeNotes {
    private(set) var isObserved = false
    private(set) var start: Instant = 0
    private(set) var method = ""
    private(set) var url = ""
    private(set) var version = ""
    var profile: String?
    var route: RoutePlan?
    /// What led to the profile.
    var reason: ProfileChoice.Source?
    /// The origin that was asked last, whether a connection came about or not.
    var address: OriginAddress?
    /// Those that were asked before, in vain.
    var hops: [Exchange.Hop] = []
    var changes: RewriteChanges = []
    /// It changed production while that was unlocked.
    var isUnlocked = false
    /// The production profiles to whose origin the response sends the client, past Shunt.
    var redirected: [String] = []
    var origin: OriginConnection?
    private(set) var isReused = false
    /// The connection to the origin is there.
    private(set) var sendStart: Instant = 0
    var sendEnd: Instant = 0
    var firstByte: Instant = 0
    var retries = 0
    var bytes = Exchange.ByteCounts()
    /// The final answer's head is on its way; nothing else can be said any more.
    var hasAnswerBegun = false

    /// Forgets the last exchange: a request's first bytes are there.
    mutating func begin(now: Instant) {
        if isObserved {
            self = ExchangeNotes()
        } else {
            if !hops.isEmpty { hops = [] }
            if !redirected.isEmpty { redirected = [] }
            sendEnd = 0
            firstByte = 0
            retries = 0
            hasAnswerBegun = false
            bytes = Exchange.ByteCounts()
        }
        start = now
    }

    mutating func describe(
        _ request: borrowing RequestHead, _ bytes: Span<UInt8>, isSecure: Bool, isStream: Bool
    ) {
        isObserved = true
        method = String(bytes.extracting(request.methodRange))
        version = isStream ? "HTTP/2" : request.version == .http10 ? "HTTP/1.0" : "HTTP/1.1"
        let authority = bytes.extracting(request.authority)
        if request.targetForm == .asterisk {
            let target = ContiguousArray("*".utf8)
            url = Self.url(isSecure, authority, target.span)
        } else {
            url = Self.url(isSecure, authority, bytes.extracting(request.pathAndQuery))
        }
    }

    /// All at once, for each step would take memory of its own.
    private static func url(_ isSecure: Bool, _ authority: Span<UInt8>, _ target: Span<UInt8>) -> String {
        let scheme: StaticString = isSecure ? "https://" : "http://"
        let length = scheme.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: length + authority.count + target.count) { room in
            let room = UnsafeMutableRawBufferPointer(room)
            room.copyMemory(from: UnsafeRawBufferPointer(start: scheme.utf8Start, count: length))
            authority.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room[length...]).copyMemory(from: $0) }
            let end = length + authority.count
            target.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room[end...]).copyMemory(from: $0) }
            return end + target.count
        }
    }

    /// What answers is no part of the traffic: the log and the store hear nothing of it.
    mutating func ignore() {
        let start = start
        self = ExchangeNotes()
        self.start = start
    }

    /// A request that could not be read: its first line as far as it goes.
    mutating func describeUnreadable(_ bytes: Span<UInt8>, isStream: Bool) {
        isObserved = true
        method = "-"
        version = isStream ? "HTTP/2" : "HTTP/1.1"
        let line = String(bytes.extracting(0..<min(bytes.count, 80)))
        url = line.prefix { !$0.isNewline }.description
    }

    mutating func use(_ connection: OriginConnection, now: Instant) {
        sendStart = now
        sendEnd = 0
        firstByte = 0
        guard isObserved else { return }
        origin = connection
        isReused = connection.useCount > 0
    }
}

extension ClientExchange {
    /// The request's head is done with: its bytes leave the input.
    func forgetHead() {
        channel.input.consume(headLength)
        headLength = 0
    }

    /// Leaves the exchange out of the traffic, of which nothing was handed over yet.
    func forgetExchange() {
        notes.ignore()
        guard let recording else { return }
        recording.abandon()
        state.keep(recording)
        self.recording = nil
    }

    /// Counts the exchange and tells whoever observes.
    func endExchange(status: Int, failure: EngineFailure? = nil) {
        state.counters.exchanges &+= 1
        guard notes.isObserved else { return }
        defer { notes.origin = nil }
        if let recording {
            recording.finish(status: status, failure)
            state.keep(recording)
            self.recording = nil
        }
        state.observer?.exchangeEnded(facts(status: status, failure))
    }

    /// A handshake that failed is the most frequent trouble of all (the CA is not trusted), so it is written down.
    func note(handshake failure: any Error) {
        guard state.isObserved else { return }
        notes.begin(now: state.core.now)
        let exchange = facts(handshake: failure)
        state.recording(of: self)?.finish(exchange)
        state.observer?.exchangeEnded(exchange)
    }
}
