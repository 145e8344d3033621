import Bytes
import Inspection
import JSON
import Platform

/// What came of a comparison, for people request by request, for programs at the end.
struct DiffReport {
    private let settings: DiffSettings
    /// nil for people.
    private var json: JSONListing?
    private var equal = 0
    private var different = 0
    private var withoutResponse = 0
    private var skipped: [(id: Int64, what: String, reason: String)] = []
    private var noise: [IgnoredPlace] = []
    /// There were more than were sent.
    var isMore = false

    init(_ settings: DiffSettings, port: UInt16) {
        self.settings = settings
        guard settings.isJSON else { return }
        json = JSONListing(["between": [settings.first, settings.other], "port": port], list: "requests")
    }

    /// 0: equal, 1: different, 2: something could not be compared.
    var status: CInt { withoutResponse > 0 || equal + different == 0 ? 2 : different > 0 ? 1 : 0 }

    mutating func add(_ id: Int64, _ request: RecordedRequest, _ outcome: DiffClient.Outcome) {
        switch outcome {
        case .compared(let comparison, let statuses):
            let isEqual = comparison.differences.isEmpty
            if isEqual { equal += 1 } else { different += 1 }
            for place in comparison.noise where !noise.contains(place) { noise.append(place) }
            if settings.isJSON {
                write(id, request, comparison, statuses)
            } else {
                let both =
                    statuses.first == statuses.other ? "\(statuses.first)" : "\(statuses.first) → \(statuses.other)"
                Terminal.out("\(id)  \(Self.what(request))  \(both)  \(isEqual ? "equal" : "different")\n")
                Terminal.out(ReplayReport.text(comparison.differences))
                if !comparison.noise.isEmpty { Terminal.out("  noise: \(Self.list(comparison.noise))\n") }
            }
        case .withoutResponse(let profile, let reason):
            withoutResponse += 1
            if settings.isJSON {
                json?.add { object in
                    Self.write(id, request, to: &object)
                    object.members(["unanswered": profile, "reason": reason])
                }
            } else {
                Terminal.out(
                    "\(id)  \(Self.what(request))  no response of \(profile)\n    \(PlainText.clean(reason))\n")
            }
        }
    }

    mutating func skip(_ id: Int64, _ request: RecordedRequest, _ obstacles: [String]) {
        let reason = obstacles.joined(separator: "; ")
        skipped.append((id, Self.what(request), reason))
        guard !settings.isJSON else { return }
        Terminal.out("\(id)  \(Self.what(request))  not sent: \(PlainText.clean(reason))\n")
    }

    mutating func finish() {
        if settings.isJSON {
            finishJSON()
        } else {
            var parts = ["\(equal) equal", "\(different) different"]
            if withoutResponse > 0 { parts.append("\(withoutResponse) without a response") }
            if !skipped.isEmpty { parts.append("\(skipped.count) not sent (--header, --force)") }
            Terminal.out(
                "\(settings.first) and \(settings.other): \(parts.joined(separator: ", "))"
                    + (isMore ? "; there are more (-n)" : "") + "\n")
            if !noise.isEmpty {
                Terminal.out("Noise, for the next time: " + noise.map(Self.option).joined(separator: " ") + "\n")
            }
        }
    }

    private mutating func write(
        _ id: Int64, _ request: RecordedRequest, _ comparison: ResponseComparison, _ statuses: (first: Int, other: Int)
    ) {
        json?.add { object in
            Self.write(id, request, to: &object)
            object.members([
                "statuses": [statuses.first, statuses.other], "equal": comparison.differences.isEmpty,
            ])
            object.objects("differences", comparison.differences) { $1.write(to: &$0) }
            object.member("noise", comparison.noise.map(\.text))
        }
    }

    private mutating func finishJSON() {
        let (skipped, isMore, noise, status) = (skipped, isMore, noise, status)
        json?.finish {
            $0.objects("skipped", skipped) { $0.members(["id": $1.id, "request": $1.what, "reason": $1.reason]) }
            $0.members(["more": isMore, "noise": noise.map(\.text), "equal": status == 0])
        }
    }

    private static func write(_ id: Int64, _ request: RecordedRequest, to object: inout JSONWriter) {
        object.members(["id": id, "method": request.method, "url": request.url])
    }

    private static func what(_ request: RecordedRequest) -> String {
        PlainText.clean("\(request.method) \(request.url)")
    }

    private static func list(_ places: [IgnoredPlace]) -> String {
        PlainText.clean(places.map(\.text).joined(separator: ", "))
    }

    private static func option(_ place: IgnoredPlace) -> String {
        "--ignore \(Path.quoted(PlainText.clean(place.text)))"
    }
}
