/// What is changed in a recorded request before it is sent again; nil stays as it was recorded.
public struct RequestEdit: Sendable {
    public var method: String?
    /// Absolute; without its fragment.
    public var url: String?
    /// All of them, in place of all recorded ones.
    public var fields: [HeadText.Field]?
    public var body: [UInt8]?

    public init(method: String? = nil, url: String? = nil, fields: [HeadText.Field]? = nil, body: [UInt8]? = nil) {
        (self.method, self.url, self.fields, self.body) = (method, url, fields, body)
    }

    public var isEmpty: Bool { method == nil && url == nil && fields == nil && body == nil }
}

/// Why an edit makes no request, in words.
public struct RequestEditFailure: Error, Sendable {
    public let message: String
    public let advice: String
}

extension RecordedRequest {
    /// The edited request; its secrets are those that are still replaced in it.
    public func edited(_ edit: RequestEdit) throws(RequestEditFailure) -> RecordedRequest {
        var (host, target) = (host, target)
        if let text = edit.url, text != url {
            guard let parts = URLText(text), ["http", "https"].contains(parts.scheme) else {
                throw RequestEditFailure(
                    message: "“\(text)” is no URL of HTTP", advice: "Give a whole one: http://HOST/PATH.")
            }
            (host, target) = (parts.authority, parts.target)
        }
        return RecordedRequest(self, edit, host: host, target: target)
    }
}
