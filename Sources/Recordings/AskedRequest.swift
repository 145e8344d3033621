/// A request for which a recording is searched, its secrets replaced where the recording's are.
public struct AskedRequest: Sendable {
    public let method: String
    /// In small letters, without a port.
    let host: String
    let path: String
    let query: String
    public let type: String
    /// nil where it is not known, and is not compared.
    public var body: [UInt8]?
    /// Those of the rules, by their names in small letters.
    public let fields: [(name: String, value: String)]
    /// What it asks for a part by, as ``RecordedEntry`` has it; nil where it asks for the whole.
    let range: String?

    /// - Parameters:
    ///   - authority: host and port; empty where there is none.
    ///   - target: path and query.
    ///   - range: the value of Range.
    public init(
        method: String, authority: String, target: String, type: String = "", body: [UInt8]? = [],
        fields: [(name: String, value: String)] = [], range: String? = nil
    ) {
        self.range = range.map(RecordedEntry.comparedRange)
        self.method = method
        host = RecordedURL.host(ofAuthority: Array(authority.utf8)[...])
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        path = mark == target.startIndex ? "/" : String(target[..<mark])
        query = String(target[mark...].dropFirst())
        self.type = type
        self.body = body
        self.fields = fields
    }
}
