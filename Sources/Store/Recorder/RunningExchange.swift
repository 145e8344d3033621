import Exchanges
import GraphQL
import Redaction

/// An exchange between its first and its last piece.
struct RunningExchange {
    var identity: WriteBatch.Identity
    /// The facts, without secrets; its end may get lost.
    private(set) var facts: ExchangeRecord
    /// How its end was lost.
    private(set) var failure: Exchange.Failure?
    let secrets: RecordingRedaction?
    var request = BodyTrack()
    var response = BodyTrack()
    /// The request's and the response's body at the origin's end; empty as long as none has come.
    var originBodies: [BodyTrack] = []
    var firstMessage: Int64 = 0
    var nextMessage: Int64 = 0
    /// The operations of GraphQL that it asks for, as labels; empty where it asks for none.
    var operations: [String] = []
    /// The errors that its response has reported; nil where that is not known.
    var errors: Int?
    /// What was written of its bodies.
    var bodies = FrameSection.State { _ in FrameSection.BodyState() }
    /// Its row refers to a context.
    var hasContext = false
    /// It has been taken for its contract, or left out.
    var hasContract = false
    /// What is gathered for its contract; nil without one.
    var contractWork: ContractWork?
    /// Bytes of that which are counted.
    var contractBytes = 0

    init(
        _ facts: ExchangeRecord, _ redaction: ProfileRedaction?, _ identity: WriteBatch.Identity,
        _ filter: RecordingRedaction?
    ) {
        self.identity = identity
        secrets = filter?.filter(redaction)
        self.facts = secrets.map { facts.redacted(by: $0) } ?? facts
    }

    var messageCount: Int64 { nextMessage - firstMessage }

    /// Takes over the present facts.
    mutating func update(_ facts: ExchangeRecord) {
        self.facts = secrets.map { facts.redacted(by: $0) } ?? facts
        failure = nil
    }

    /// Puts what was found in bodies and messages among the facts.
    ///
    /// - Returns: whether that has changed them.
    mutating func describeOperations() -> Bool {
        guard !operations.isEmpty else { return false }
        var text = GraphQLOperation.text(of: operations)
        if let named = text, let secrets {
            var out: [UInt8] = []
            secrets.redact(text: Array(named.utf8).span, isCut: false, into: &out)
            text = String(decoding: out, as: UTF8.self)
        }
        guard facts.string(.operation) != text || facts.number(.graphQLErrors) != errors.map({ Int64($0) }) else {
            return false
        }
        var exchange = facts.exchange
        (exchange.operation, exchange.graphQLErrors) = (text, errors)
        var bytes: [UInt8] = []
        ExchangeRecord.write(exchange, to: &bytes)
        facts = ExchangeRecord(bytes, 0..<bytes.count)
        return true
    }

    /// Keeps the facts beyond the block that they came in.
    mutating func detach() { if facts.bytes.count > facts.place.count { facts = facts.copy } }

    /// Notes how it differs from its contract.
    mutating func note(_ findings: [String]) {
        var exchange = facts.exchange
        exchange.contract = findings
        var bytes: [UInt8] = []
        ExchangeRecord.write(exchange, to: &bytes)
        facts = ExchangeRecord(bytes, 0..<bytes.count)
    }

    /// Its end was lost.
    mutating func lose() {
        failure = Exchange.Failure(
            side: "proxy", stage: "record", message: "how it ended was not recorded, for the disk was slow")
    }

    /// The facts as they are reported once they are written.
    var written: ExchangeRecord {
        // The memory of the block that they came in is used again.
        guard let failure else { return facts.bytes.count > facts.place.count ? facts.copy : facts }
        var exchange = facts.exchange
        exchange.failure = failure
        return WrittenExchange(exchange).record
    }
}
