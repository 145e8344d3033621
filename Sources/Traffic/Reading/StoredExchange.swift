/// An exchange of a store as filters see it: heads and bodies are read only when they are asked for.
final class StoredExchange: FilterSubject {
    private let summary: TrafficSummary
    private let reader: TrafficReader
    private var record: TrafficRecord?
    private let client: (host: String, port: Int64?)
    let host: String
    /// Why something could not be read; what was found up to there counts for nothing.
    private(set) var failure: StoreFailure?

    /// Messages that are held at once, which may be as long as bodies.
    private static let messages = 8

    init(_ summary: TrafficSummary, _ reader: TrafficReader) {
        (self.summary, self.reader) = (summary, reader)
        let address = Array(summary.exchange.client.address.utf8)
        let (host, port) = AddressText.split(address, 0..<address.count)
        client = (host.map { String(decoding: address[$0], as: UTF8.self) } ?? "", port)
        let url = Array(summary.exchange.url.utf8)
        let name = URLParts(url, 0..<url.count).host.map { url[$0].map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
        self.host = String(decoding: name ?? [], as: UTF8.self)
    }

    var id: Int64 { summary.id }
    var startedAt: Int64 { summary.exchange.startedAt }
    var duration: Int64? { summary.isEnded ? Int64(clamping: summary.exchange.timings.total) : nil }
    var clientAddress: String { client.host }
    var clientPort: Int { Int(clamping: client.port ?? 0) }
    var method: String { summary.exchange.method }
    var url: String { summary.exchange.url }
    var status: Int? { summary.exchange.status }
    var requestType: String? { summary.requestType }
    var answerType: String? { summary.answerType }
    var profile: String? { summary.exchange.profile }
    var route: String? { summary.exchange.route }
    var responder: String? { summary.exchange.responder }
    var origin: String? { summary.exchange.origin?.url }
    var originAddress: String? { summary.exchange.origin?.address }
    var trust: String? { summary.exchange.origin?.trust }
    var error: String? { summary.exchange.failure?.message }

    func heads(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        guard let record = whole() else { return }
        let heads =
            side == .request
            ? [record.clientRequest, record.originRequest] : [record.originAnswer, record.clientAnswer]
        for head in heads {
            guard let head else { continue }
            guard head.withUnsafeBytes(visit) else { return }
        }
    }

    func body(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        reading { () throws(StoreFailure) in
            try reader.body(of: id, side == .request ? .request : .answer) { $0.withUnsafeBytes(visit) }
        }
    }

    func messages(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        let sender: MessageFacts.Sender = side == .request ? .client : .origin
        reading { () throws(StoreFailure) in
            var last: Int64 = -1
            while true {
                let page = try reader.messages(of: id, after: last, limit: Self.messages)
                guard let end = page.last else { return }
                for message in page where message.facts.sender == sender {
                    guard (message.bytes ?? []).withUnsafeBytes(visit) else { return }
                }
                last = end.number
            }
        }
    }

    private func whole() -> TrafficRecord? {
        if record == nil { reading { () throws(StoreFailure) in record = try reader.record(id) } }
        return record
    }

    private func reading(_ body: () throws(StoreFailure) -> Void) {
        do throws(StoreFailure) { try body() } catch { failure = failure ?? error }
    }
}
