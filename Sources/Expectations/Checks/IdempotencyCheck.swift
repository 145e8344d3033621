import Exchanges
import Inspection
import JSON
import Store
import TLS

/// Requests that are sent again carry the same key: equal method, URL and body, and one value of a field.
struct IdempotencyCheck: Check {
    static let key = "idempotent"
    static let schema = ##"{ "type": "string", "minLength": 1 }"##

    private let field: String

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let field = value.string, !field.isEmpty else {
            reader.wrong(
                value, "\"idempotent\" is \(value.kindName)",
                expected: "the field with the key, such as \"Idempotency-Key\"")
            return nil
        }
        self.field = field
    }

    var words: String { "requests that are sent again carry the same \(field)" }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        var first: [[UInt8]: (id: Int64, key: String)] = [:]
        var mismatch = Mismatch(expected: "\(words) for \(filter.words)", seen: "")
        var problem: CheckFailure?
        try traffic.each(filter) { summary in
            do throws(CheckFailure) {
                guard let record = try traffic.record(summary.id), let head = record.clientRequest else { return true }
                guard let key = HeadText(head).values(of: field).first else {
                    note(summary.id, "there is no field \(field)", &mismatch)
                    return true
                }
                let body = try traffic.body(record, .request)
                let exchange = summary.exchange
                let text = Array("\(exchange.method) \(exchange.url)\n".utf8) + body
                let request = sha256(text.span) ?? text
                if let known = first[request], known.key != key {
                    note(
                        summary.id, "it repeats #\(known.id) with another \(field): \(key), not \(known.key)", &mismatch
                    )
                } else if first[request] == nil {
                    first[request] = (summary.id, key)
                }
                return true
            } catch {
                problem = error
                return false
            }
        }
        if let problem { throw problem }
        guard mismatch.count > 0 else { return nil }
        mismatch.seen = "\(mismatch.count) request\(mismatch.count == 1 ? "" : "s") without"
        return mismatch
    }

    private func note(_ id: Int64, _ difference: String, _ mismatch: inout Mismatch) {
        mismatch.count += 1
        if mismatch.nearest == nil { mismatch.nearest = (id, difference) }
        if mismatch.ids.count < Mismatch.maxNamed { mismatch.ids.append(id) }
    }
}
