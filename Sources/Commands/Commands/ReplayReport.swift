import Admin
import Bytes
import Inspection
import JSON

/// What came of a replay, for people line by line, for programs at the end.
struct ReplayReport {
    private static let maxShown = 40
    private let id: Int64
    /// nil for people.
    private var json: JSONListing?
    private(set) var isEqual = true
    private var last: [ResponseDifference]?

    init(id: Int64, port: UInt16, isJSON: Bool) {
        self.id = id
        json = isJSON ? JSONListing(["id": id, "port": port], list: "replays") : nil
    }

    mutating func add(_ response: ReplayedResponse, _ differences: [ResponseDifference]) {
        let isSame = differences.allSatisfy(\.isVolatile)
        isEqual = isEqual && isSame
        if json != nil {
            json?.add(response.record(differences).writeMembers)
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
        let isEqual = isEqual
        json?.finish { $0.member("equal", isEqual) }
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
