import Bytes
import HTTP

// An origin says by 304 that what was kept is what it would send (RFC 9111 4.3.4).
extension KeptResponse {
    /// What a 304 says about the response that it stands for.
    struct Renewal {
        /// Its field lines, without those that describe a body.
        let fields: [UInt8]
        let entityTag: [UInt8]
        /// `Int64.max` for none.
        let lastModified: Int64
        let age: Int64
        /// Of the request, if the 304 has Vary.
        let varied: [VariedField]?
        /// What its Cache-Control says; nil without one.
        let isPublic: Bool?
    }

    /// Whether a 304 is about this response: both have the same validator, the entity tag before the time.
    func isMeant(by renewal: Renewal) -> Bool {
        if !renewal.entityTag.isEmpty { return renewal.entityTag == validators.entityTag }
        return renewal.lastModified != .max && renewal.lastModified == validators.lastModified
    }

    /// The same response as of `time`, with the fields of the 304 in the place of its own of these names.
    func renewed(by renewal: Renewal, at time: Int64) -> KeptResponse {
        let names = Set(Self.lines(renewal.fields).map(Self.name))
        let old = Self.lines(fields).filter { !names.contains(Self.name($0)) }
        return KeptResponse(
            origin, isHead: isHead, statusLine: statusLine, fields: old.flatMap { $0 } + renewal.fields, body: body,
            hasContent: hasContent, validators: validators, age: renewal.age, at: time,
            varied: renewal.varied ?? varied, isPublic: renewal.isPublic ?? isPublic)
    }

    /// With their ends.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n")).map { bytes[$0.startIndex...$0.endIndex] }
    }

    private static func name(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
    }
}
