import Exchanges
import Store

/// Heads and bodies of an exchange with what an export says about them, each found once.
final class KnownContent {
    /// A response as it was written with this content, as JSON.
    struct Response {
        private let status: Int?
        private let version: String
        private let bytes: Exchange.ByteCounts
        let text: [UInt8]

        init(_ exchange: Exchange, _ text: [UInt8]) {
            (status, version, bytes, self.text) = (exchange.status, exchange.client.version, exchange.bytes, text)
        }

        func isOf(_ exchange: Exchange) -> Bool {
            status == exchange.status && version == exchange.client.version
                && bytes.response == exchange.bytes.response && bytes.decodedResponse == exchange.bytes.decodedResponse
        }
    }

    /// Facts as they were written with this content, as members of an object.
    struct Facts {
        private let exchange: Exchange
        let text: [UInt8]

        init(_ exchange: Exchange, _ text: [UInt8]) { (self.exchange, self.text) = (exchange, text) }

        /// Whether they are another exchange's, too, which has not failed and has no list.
        func isOf(_ other: Exchange) -> Bool { ExchangeTable.isAlike(exchange, other) }
    }

    /// Where the last exchange had it; nil for content that is not shared.
    fileprivate var place: FramePart?
    let request: KnownHead
    let response: KnownHead
    let requestBody: BodyWriter
    let responseBody: BodyWriter
    /// Those at the origin's end; nil where they are the same.
    let originRequestBody: BodyWriter?
    let originResponseBody: BodyWriter?
    /// Of heads and bodies.
    let secrets: SecretsSeen
    var knownResponse: Response?
    var knownFacts: Facts?

    init(_ reader: TrafficReader, _ record: TrafficRecord, _ heads: KnownHeads) throws(ExportFailure) {
        place = record.content
        request = heads.head(record.clientRequest ?? record.originRequest ?? [])
        response = heads.head(record.response ?? [])
        requestBody = try BodyWriter(reader, record, .request)
        responseBody = try BodyWriter(reader, record, .response)
        originRequestBody = record.hasChanged(.request) ? try BodyWriter(reader, record, .request, .origin) : nil
        originResponseBody = record.hasChanged(.response) ? try BodyWriter(reader, record, .response, .origin) : nil
        secrets = SecretsSeen(
            [
                record.clientRequest, record.originRequest, record.originResponse, record.clientResponse,
                record.requestTrailers, record.responseTrailers,
            ].map { $0.map(heads.head) },
            [requestBody, responseBody, originRequestBody, originResponseBody].compactMap { $0?.scan })
    }
}

/// The content that an export met last: most exchanges of an app have some that another one had before.
///
/// With it, a recording of equal exchanges costs less than half as much.
final class KnownContents {
    private static let count = 8
    private var contents: [KnownContent] = []
    private var next = 0

    func content(
        _ reader: TrafficReader, _ record: TrafficRecord, _ heads: KnownHeads
    ) throws(ExportFailure) -> KnownContent {
        guard let place = record.content else { return try KnownContent(reader, record, heads) }
        for known in contents where known.place.map(place.isEqual) == true {
            // Those that follow are likely to be in its frame.
            known.place = place
            return known
        }
        let content = try KnownContent(reader, record, heads)
        if contents.count < Self.count {
            contents.append(content)
        } else {
            contents[next] = content
            next = (next + 1) % Self.count
        }
        return content
    }
}
