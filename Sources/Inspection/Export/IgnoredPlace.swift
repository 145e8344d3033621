import Bytes
import JSON

/// Something in responses that is not compared.
///
/// `status`, `body`, `line 3`, a place in JSON with all below it (`$.items[*].price`, where `*` stands for any item or
/// name), or else a field's name.
public struct IgnoredPlace: Sendable, Hashable {
    private enum Kind: Hashable {
        case status, body
        case line(Int)
        case field(String)
        case path(JSONPath)
    }

    /// As users write it.
    public let text: String
    private let kind: Kind

    /// Nil where the text is no place.
    public init?(_ text: String) {
        self.text = text
        if text == "status" {
            kind = .status
        } else if text == "body" {
            kind = .body
        } else if text.hasPrefix("line "), let number = Int(text.dropFirst(5)), number > 0 {
            kind = .line(number)
        } else if text.hasPrefix("$") {
            guard let path = JSONPath(text) else { return nil }
            kind = .path(path)
        } else {
            let name = text.utf8.map(ByteSearch.lowercased)
            guard !name.isEmpty, name.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: ":") }) else { return nil }
            kind = .field(String(decoding: name, as: UTF8.self))
        }
    }

    /// The place of a difference, in every item of a list at once.
    init(of difference: ResponseDifference) {
        let place = difference.place
        let known: IgnoredPlace? =
            switch difference.part {
            case .status: nil
            case .field: IgnoredPlace(place)
            case .body: JSONPath(place).flatMap { IgnoredPlace($0.inEveryItem.text) } ?? IgnoredPlace(line: place)
            }
        if let known {
            self = known
        } else {
            text = difference.part == .status ? "status" : "body"
            kind = difference.part == .status ? .status : .body
        }
    }

    private init?(line place: String) {
        guard place.hasPrefix("line ") else { return nil }
        self.init(place)
    }

    /// Whether a difference is there, or below.
    public func covers(_ difference: ResponseDifference) -> Bool {
        switch kind {
        case .status: difference.part == .status
        case .body: difference.part == .body
        case .line(let number): difference.part == .body && difference.place == "line \(number)"
        case .field(let name):
            difference.part == .field && difference.place.utf8.map(ByteSearch.lowercased).elementsEqual(name.utf8)
        case .path(let path):
            difference.part == .body && JSONPath(difference.place).map { path.leads(to: $0) } ?? false
        }
    }
}
