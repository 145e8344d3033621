import Contracts
import Exchanges
import Inspection
import JSON
import Profiles
import Store

/// Fields, status and body that each request, or each response, has.
struct MessageExpectation: Sendable {
    private enum FieldTest: Sendable {
        case present, absent
        case equals(String)
    }

    private let side: BodySide
    private let status: ClosedRange<Int>?
    private let fields: [(name: String, test: FieldTest)]
    private let json: JSONSubset?
    private let schema: Schema?

    static func schema(hasStatus: Bool) -> String {
        let status =
            hasStatus
            ? #""status": { "anyOf": [{ "type": "integer" }, { "type": "string", "pattern": "^[1-5]xx$" }] }, "# : ""
        return
            #"{ "type": "object", "additionalProperties": false, "minProperties": 1, "properties": { \#(status)"headers": { "type": "object", "additionalProperties": { "anyOf": [{ "type": "boolean" }, { "type": "string" }] } }, "json": {}, "schema": { "anyOf": [{ "type": ["object", "boolean"] }, { "type": "string" }] } } }"#
    }

    init?(_ value: JSONValue, _ side: BodySide, _ reader: CheckReader) {
        let name = side == .request ? "\"request\"" : "\"response\""
        let keys = (side == .response ? ["status"] : []) + ["headers", "json", "schema"]
        guard let members = Fields(value, name, keys: keys, reader.reporter) else { return nil }
        if value.object?.isEmpty == true {
            reader.wrong(value, "\(name) asks for nothing", expected: "one of \(keys.joined(separator: ", "))")
            return nil
        }
        self.side = side
        var status: ClosedRange<Int>?
        if let member = members["status"] {
            status = Self.status(member)
            if status == nil { reader.wrong(member, "a wrong \"status\"", expected: "a status like 201 or \"2xx\"") }
        }
        self.status = status
        var isWhole = members["status"] == nil || status != nil
        fields = members.object("headers", expected: "names of fields with true, false or a value").compactMap {
            member in
            if let flag = member.value.bool { return (member.key, flag ? .present : .absent) }
            if let text = member.value.string { return (member.key, .equals(text)) }
            isWhole = false
            reader.wrong(
                member.value, "\(member.value.kindName) for the field \(member.key)",
                expected: "true (it is there), false (it is not) or its value")
            return nil
        }
        json = members["json"].map { JSONSubset($0) }
        schema = members["schema"].flatMap { reader.schema($0) }
        guard isWhole, members["schema"] == nil || schema != nil, members["headers"].map({ $0.object != nil }) ?? true
        else {
            return nil
        }
    }

    private static func status(_ value: JSONValue) -> ClosedRange<Int>? {
        if let number = value.number?.int64, (100...599).contains(number) { return Int(number)...Int(number) }
        guard let text = value.string?.lowercased(), text.count == 3, text.hasSuffix("xx"),
            let digit = text.first?.wholeNumberValue,
            (1...5).contains(digit)
        else { return nil }
        return digit * 100...digit * 100 + 99
    }

    private var name: String { side == .request ? "request" : "response" }

    var words: String {
        var parts: [String] = []
        if let status { parts.append("status \(Self.text(status))") }
        for field in fields {
            switch field.test {
            case .present: parts.append("field \(field.name)")
            case .absent: parts.append("no field \(field.name)")
            case .equals(let value): parts.append("\(field.name): \(value)")
            }
        }
        if let json { parts.append("JSON with \(json)") }
        if schema != nil { parts.append("JSON of its schema") }
        return "each \(name) has " + parts.joined(separator: ", ")
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound / 100)xx"
    }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        var mismatch = Mismatch(expected: "\(words) for \(filter.words)", seen: "")
        var (total, problem): (Int, CheckFailure?) = (0, nil)
        try traffic.each(filter) { summary in
            total += 1
            do throws(CheckFailure) {
                guard let difference = try difference(summary, traffic) else { return true }
                mismatch.count += 1
                if mismatch.nearest == nil { mismatch.nearest = (summary.id, difference) }
                if mismatch.ids.count < Mismatch.maxNamed { mismatch.ids.append(summary.id) }
                return true
            } catch {
                problem = error
                return false
            }
        }
        if let problem { throw problem }
        guard mismatch.count > 0 else { return nil }
        mismatch.seen = "\(mismatch.count) of \(total) without"
        return mismatch
    }

    /// The first difference; nil if there is none.
    private func difference(_ summary: TrafficSummary, _ traffic: Observations) throws(CheckFailure) -> String? {
        if let status {
            guard let seen = summary.exchange.status else { return "there is no response" }
            guard status.contains(seen) else { return "the status is \(seen), not \(Self.text(status))" }
        }
        guard !fields.isEmpty || json != nil || schema != nil else { return nil }
        guard let record = try traffic.record(summary.id) else { return nil }
        if !fields.isEmpty {
            guard let head = side == .request ? record.clientRequest : record.response
            else {
                return "there is no \(name) head"
            }
            if let difference = difference(HeadText(head)) { return difference }
        }
        guard json != nil || schema != nil else { return nil }
        let kept = side == .request ? record.requestBody : record.responseBody
        if kept.isCut || kept.isDropped { return "the body was recorded in part only (--store-body)" }
        if record.isCall {
            guard let messages = try traffic.callMessages(record, side) else {
                return "no route has a \"grpc\" with the messages of the call"
            }
            return difference(messages)
        }
        let bytes = try traffic.body(record, side)
        guard !bytes.isEmpty else { return "the \(name) has no body" }
        return difference(bytes)
    }

    private func difference(_ bytes: [UInt8]) -> String? {
        do throws(JSONFailure) {
            if let json {
                let value = try JSONReader.read(bytes, dialect: .strict, sizeLimit: .max)
                if let difference = json.firstDifference(from: value) { return difference }
            }
            return try schema.flatMap { (schema) throws(JSONFailure) in
                schema.failures(of: try JSONTape(bytes)).first?.text
            }
        } catch {
            return "the body is no JSON: \(error)"
        }
    }

    /// The difference of the first message, where none of a call's has what is asked for.
    private func difference(_ messages: [[UInt8]]) -> String? {
        guard let first = messages.first else { return "the \(name) has no message" }
        return messages.contains { difference($0) == nil } ? nil : difference(first)
    }

    private func difference(_ head: HeadText) -> String? {
        for (name, test) in fields {
            let values = head.values(of: name)
            switch test {
            case .present: if values.isEmpty { return "there is no field \(name)" }
            case .absent: if let value = values.first { return "there is a field \(name): \(value)" }
            case .equals(let wanted):
                if values.isEmpty { return "there is no field \(name)" }
                if !values.contains(wanted) { return "\(name) is \(values.joined(separator: ", ")), not \(wanted)" }
            }
        }
        return nil
    }
}

/// What each request has.
struct RequestCheck: Check {
    static let key = "request"
    static let schema = MessageExpectation.schema(hasStatus: false)
    private let message: MessageExpectation

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let message = MessageExpectation(value, .request, reader) else { return nil }
        self.message = message
    }

    var words: String { message.words }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        try message.failure(filter, traffic)
    }
}

/// What each response has.
struct ResponseCheck: Check {
    static let key = "response"
    static let schema = MessageExpectation.schema(hasStatus: true)
    private let message: MessageExpectation

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let message = MessageExpectation(value, .response, reader) else { return nil }
        self.message = message
    }

    var words: String { message.words }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        try message.failure(filter, traffic)
    }
}
