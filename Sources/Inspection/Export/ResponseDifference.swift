import Bytes
public import JSON
import Rewriting

/// One thing in which a response is not what the recorded one was.
public struct ResponseDifference: Sendable, Equatable {
    public enum Part: String, Sendable {
        case status, field, body
    }

    public let part: Part
    /// A field's name, a place in JSON such as `$.items[2].price`, a line's number, or nothing.
    public let place: String
    /// The recorded value; nil without one.
    public let old: String?
    /// The new value; nil without one.
    public let new: String?
    /// It is another one each time, and says nothing.
    public var isVolatile: Bool

    public init(part: Part, place: String, old: String?, new: String?, isVolatile: Bool = false) {
        (self.part, self.place, self.isVolatile) = (part, place, isVolatile)
        (self.old, self.new) = (old, new)
    }

    /// Writes the members.
    public func write(to object: inout JSONWriter) {
        object.members(["part": part.rawValue, "place": place, "old": old, "new": new, "volatile": isVolatile])
    }
}

/// A response, to be held against another one.
public struct ComparedResponse: Sendable {
    /// Nil without a response.
    public var status: Int?
    public var fields: [HeadText.Field]
    public var body: [UInt8]
    /// There is more than `body` has.
    public var isCut: Bool

    public init(status: Int?, fields: [HeadText.Field], body: [UInt8], isCut: Bool = false) {
        self.status = status
        // Environments are told apart by marks, which are no difference of their origins.
        self.fields = fields.map { field in
            guard field.name.lowercased() == "etag" else { return field }
            let tag = CacheRules.unmarked(Array(field.value.utf8))
            return HeadText.Field(field.name, String(decoding: tag, as: UTF8.self))
        }
        (self.body, self.isCut) = (body, isCut)
    }

    /// Names, in small letters, of fields that change from response to response.
    private static let volatile: Set<String> = [
        "date", "age", "expires", "set-cookie", "x-request-id", "x-correlation-id", "x-trace-id", "x-runtime",
        "server-timing", "traceparent", "via", "x-amz-cf-id", "x-amzn-trace-id", "cf-ray", "shunt-answered-by",
        "content-length", "content-encoding", "vary",
    ]

    /// In what `new` differs, volatile fields last.
    ///
    /// The order of fields does not matter. JSON is compared as values, other text by lines; at most `limit`
    /// differences are found.
    public func differences(from new: ComparedResponse, limit: Int = 500) -> [ResponseDifference] {
        var found: [ResponseDifference] = []
        if status != new.status {
            found.append(
                ResponseDifference(
                    part: .status, place: "", old: status.map(String.init), new: new.status.map(String.init)))
        }
        let fields = fieldDifferences(new)
        found += fields.filter { !$0.isVolatile }
        found += BodyComparison(self, new, limit: limit).differences
        found += fields.filter(\.isVolatile)
        return Array(found.prefix(max(0, limit)))
    }

    private func fieldDifferences(_ new: ComparedResponse) -> [ResponseDifference] {
        let (before, after) = (Self.byName(fields), Self.byName(new.fields))
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            let (old, new) = (before[name], after[name])
            guard old?.values.sorted() != new?.values.sorted() else { return nil }
            return ResponseDifference(
                part: .field, place: new?.name ?? old?.name ?? name, old: old?.values.joined(separator: ", "),
                new: new?.values.joined(separator: ", "), isVolatile: Self.volatile.contains(name))
        }
    }

    private static func byName(_ fields: [HeadText.Field]) -> [String: (name: String, values: [String])] {
        let own = HeadText(startLine: "", fields: fields).hopByHop
        var byName: [String: (name: String, values: [String])] = [:]
        for field in fields {
            let name = String(decoding: field.name.utf8.map(ByteSearch.lowercased), as: UTF8.self)
            guard !own.contains(name) else { continue }
            byName[name, default: (field.name, [])].values.append(field.value)
        }
        return byName
    }
}
