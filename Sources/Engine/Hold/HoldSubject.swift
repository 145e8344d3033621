import Exchanges
import Filter
import HTTP
import Profiles
import Reactor
import Rewriting

/// An exchange as the filters of breakpoints see it: its heads, as far as they are there.
struct HoldSubject: FilterSubject, Sendable {
    let method: String
    let url: String
    let host: String
    let clientAddress: String
    let clientPort: Int
    let app: String?
    let startedAt: Int64
    let requestType: String?
    let requestHead: [UInt8]
    let profile: String?
    let session: String?
    /// The name of the client's device.
    let device: String?
    var status: Int?
    var responseType: String?
    var responseHead: [UInt8] = []
    var route: String?
    var responder: String?
    var origin: String?
    var trust: String?
    var changes: [String] = []
    var error: String?
    var message: (sender: MessageFacts.Sender, content: [UInt8])?

    var id: Int64 { 0 }
    var duration: Int64? { nil }
    var originAddress: String? { nil }

    func heads(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        let head = side == .request ? requestHead : responseHead
        if !head.isEmpty { head.withUnsafeBytes { _ = visit($0) } }
    }

    func body(of side: FilterSide, atOrigin: Bool, visit: (UnsafeRawBufferPointer) -> Bool) {}

    func messages(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        guard let message, (message.sender == .client) == (side == .request) else { return }
        message.content.withUnsafeBytes { _ = visit($0) }
    }
}

extension HoldSubject {
    init(_ exchange: ClientExchange, profile: String?, session: String?, device: String?, now: Int64) {
        let (request, client) = (exchange.request, exchange.client)
        let head = request.head
        method = request.text(head.methodRange)
        let authority = request.text(head.authority)
        host = request.text(head.host).lowercased()
        url =
            head.targetForm == .absolute
            ? request.text(head.target)
            : (client.isSecure ? "https://" : "http://") + authority
                + (head.targetForm == .asterisk ? "*" : request.text(head.pathAndQuery))
        (clientAddress, clientPort) = (client.peer?.host ?? "", Int(client.peer?.port ?? 0))
        app = client.program?.found?.label
        startedAt = now
        requestType = head.field(.contentType).map { Self.type(request.text($0.value)) }
        requestHead = [UInt8](exchange.headBytes)
        (self.profile, self.session, self.device) = (profile, session, device)
    }

    /// The same once a response's head is there.
    func with(response head: ResponseHead, _ bytes: [UInt8], _ metrics: ExchangeMetrics) -> HoldSubject {
        var subject = self
        (subject.status, subject.responseHead) = (head.status, bytes)
        subject.responseType = head.field(.contentType).map {
            Self.type(String(decoding: bytes[$0.value], as: UTF8.self))
        }
        subject.learn(metrics)
        return subject
    }

    /// The same once a stream has begun, of whose response the status is known.
    func with(_ metrics: ExchangeMetrics) -> HoldSubject {
        var subject = self
        subject.status = metrics.status
        subject.learn(metrics)
        return subject
    }

    /// The same for a message.
    func with(message content: [UInt8], from sender: MessageFacts.Sender) -> HoldSubject {
        var subject = self
        subject.message = (sender, content)
        return subject
    }

    private mutating func learn(_ metrics: ExchangeMetrics) {
        (route, responder) = (metrics.route?.route.label, metrics.responder)
        (origin, trust) = (
            metrics.address?.description, metrics.address.flatMap { $0.isTLS ? $0.trust.name : nil }
        )
        (changes, error) = (metrics.changes.names, metrics.failure?.message)
    }

    private static func type(_ value: String) -> String {
        value.prefix { $0 != ";" }.trimmed.lowercased()
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
