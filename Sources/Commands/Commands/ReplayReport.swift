import Admin
import Bytes
import Inspection
import JSON

/// What came of a replay, for people line by line, for programs at the end.
struct ReplayReport {
    private static let maxShown = 40
    private let id: Int64
    private let isJSON: Bool
    private var json = JSONWriter(style: .pretty)
    private(set) var isEqual = true
    private var last: [ResponseDifference]?

    init(id: Int64, port: UInt16, isJSON: Bool) {
        (self.id, self.isJSON) = (id, isJSON)
        guard isJSON else { return }
        json.beginObject()
        json.member("id", id)
        json.member("port", port)
        json.key("replays")
        json.beginArray()
    }

    mutating func add(_ response: ReplayedResponse, _ differences: [ResponseDifference]) {
        let isSame = differences.allSatisfy(\.isVolatile)
        isEqual = isEqual && isSame
        if isJSON {
            response.record(differences).write(to: &json)
        } else {
            let verdict = isSame ? "equal" : "different"
            let repeats = differences == last && !isSame ? ", as before" : ""
            var text = "\(id)  \(response.status)  \(Self.milliseconds(response.time)) ms  \(verdict)\(repeats)\n"
            if differences != last { text += Self.text(differences) }
            Terminal.out(text)
        }
        last = differences
    }

    mutating func finish() {
        guard isJSON else { return }
        json.endArray()
        json.member("equal", isEqual)
        json.endObject()
        Terminal.out(json.text + "\n")
    }

    static func text(_ differences: [ResponseDifference]) -> String {
        var text = ""
        for difference in differences.prefix(maxShown) {
            let place = difference.place.isEmpty ? "" : " " + PlainText.clean(difference.place)
            let note = difference.isVolatile ? " (volatile)" : ""
            text += "  \(difference.isVolatile ? "~" : "*") \(difference.part.rawValue)\(place)\(note)\n"
            if let old = difference.old { text += "    - \(PlainText.clean(old))\n" }
            if let new = difference.new { text += "    + \(PlainText.clean(new))\n" }
        }
        if differences.count > maxShown { text += "  and \(differences.count - maxShown) more; --json has them\n" }
        return text
    }

    private static func milliseconds(_ time: Int64) -> String { "\(time / 1000).\(time % 1000 / 100)" }
}
