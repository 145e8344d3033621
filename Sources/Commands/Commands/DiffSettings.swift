import Inspection
import Profiles

/// What `shunt diff` is told.
struct DiffSettings {
    let first: String
    let other: String
    let ignored: [IgnoredPlace]
    /// Sent in the place of recorded ones.
    let fields: [HeadText.Field]
    let limit: Int
    let isForced: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws {
        let names = (arguments.text("between") ?? "").split(separator: ",").map(String.init)
        guard names.count == 2, names[0] != names[1] else {
            throw UsageError("between which profiles?", advice: "Give two of them: --between staging,production.")
        }
        (first, other) = (names[0], names[1])
        ignored = try Self.ignored(arguments.texts("ignore"))
        fields = try Self.fields(arguments.texts("header"))
        limit = try arguments.count("lines", in: 1...10_000) ?? 50
        isForced = arguments.has("force")
        isJSON = arguments.has("json")
    }

    static func ignored(_ texts: [String]) throws -> [IgnoredPlace] {
        var ignored: [IgnoredPlace] = []
        for text in texts {
            guard let place = IgnoredPlace(text) else {
                throw UsageError(
                    "--ignore “\(text)” names no part of a response",
                    advice: "Write '$.items[*].price', a field's name, status, body or 'line 3'.")
            }
            ignored.append(place)
        }
        return ignored
    }

    static func fields(_ texts: [String]) throws -> [HeadText.Field] {
        var fields: [HeadText.Field] = []
        for text in texts {
            let head = HeadText(Array(text.utf8), isTrailer: true)
            guard head.fields.count == 1, let field = head.fields.first,
                !field.name.isEmpty, field.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw UsageError("--header “\(text)” is no field", advice: "Write 'Name: value'.") }
            guard !MockedRequest.framing.contains(field.name.lowercased()) else {
                throw UsageError(
                    "--header “\(field.name)” cannot be sent", advice: "Shunt writes it itself, to fit each request.")
            }
            fields.append(field)
        }
        return fields
    }
}
