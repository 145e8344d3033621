import JSON

/// A mock's response, for a comparison with a real one by status, media type and the shape of JSON.
public struct MockComparison: Sendable {
    private let status: Int
    private let mediaType: String?
    private let body: [UInt8]

    public init(status: Int, contentType: String?, body: [UInt8]) {
        (self.status, self.body) = (status, body)
        mediaType = contentType.map(Self.mediaType)
    }

    /// In what the real response differs; `old` is the mock's.
    public func differences(status: Int, contentType: String?, body: [UInt8]) -> [ResponseDifference] {
        var found: [ResponseDifference] = []
        if status != self.status {
            found.append(ResponseDifference(part: .status, place: "", old: "\(self.status)", new: "\(status)"))
        }
        let real = contentType.map(Self.mediaType)
        if real != mediaType {
            found.append(ResponseDifference(part: .field, place: "Content-Type", old: mediaType, new: real))
        }
        guard let mine = Self.shape(self.body) else { return found }
        // Where the media types differ, that says enough.
        if let theirs = Self.shape(body) {
            found += mine.differences(from: theirs)
        } else if real == mediaType {
            found.append(
                ResponseDifference(
                    part: .body, place: "$", old: "JSON", new: body.isEmpty ? nil : "not readable as JSON"))
        }
        return found
    }

    /// Without parameters, in small letters.
    private static func mediaType(_ contentType: String) -> String {
        contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    private static func shape(_ body: [UInt8]) -> JSONShape? {
        (try? JSONReader.read(body, dialect: .strict, sizeLimit: .max)).map { JSONShape($0) }
    }
}
