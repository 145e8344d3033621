import Bytes
import Inspection
import JSON
import Profiles

/// The results of `shunt mocks check`: text mock by mock, JSON at the end.
struct MocksCheckReport {
    private let profiles: (own: String, other: String)
    /// nil for people.
    private var json: JSONListing?
    private var isJSON: Bool { json != nil }
    private var equal = 0
    private var drifted = 0
    private var withoutResponse = 0
    private var skipped = 0

    init(_ profile: Profile, _ other: Profile, _ port: UInt16, _ settings: MocksCheckSettings) {
        profiles = (profile.name, other.name)
        guard settings.isJSON else { return }
        json = JSONListing(["profile": profile.name, "against": other.name, "port": port], list: "mocks")
    }

    /// 1 where something differs, has no response, or all was left out; a profile without mocks has nothing to differ.
    var status: CInt { drifted + withoutResponse > 0 || equal == 0 && skipped > 0 ? 1 : 0 }

    mutating func add(_ route: Route, _ outcome: MocksCheck.Outcome) {
        let name = route.name ?? route.label
        switch outcome {
        case .compared(let request, let mock, let real, let differences):
            if differences.isEmpty { equal += 1 } else { drifted += 1 }
            if isJSON {
                write(name, route, differences.isEmpty ? "equal" : "different", request) { object in
                    object.array("statuses") { for status in [mock, real] { $0.value(status) } }
                    object.objects("differences", differences) { $1.write(to: &$0) }
                }
            } else {
                say("\(name)  \(request.method) \(request.target)  \(differences.isEmpty ? "equal" : "different")")
                for one in differences { say("  * " + Self.text(one)) }
            }
        case .withoutResponse(let request, let reason):
            withoutResponse += 1
            if isJSON {
                write(name, route, "unreachable", request) { $0.member("reason", reason) }
            } else {
                say("\(name)  \(request.method) \(request.target)  no response of \(profiles.other)")
                say("    \(reason)")
            }
        case .skipped(let reason):
            skipped += 1
            if isJSON {
                write(name, route, "skipped", nil) { $0.member("reason", reason) }
            } else {
                say("\(name)  skipped: \(reason)")
            }
        }
    }

    mutating func finish() {
        let isEqual = status == 0
        if isJSON { return json?.finish { $0.member("equal", isEqual) } ?? () }
        let counts = [
            (drifted, "different"), (withoutResponse, "without a response"), (skipped, "skipped"),
        ].filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        say("\(profiles.own) and \(profiles.other): \(equal) equal\(counts)")
    }

    private mutating func write(
        _ name: String, _ route: Route, _ result: String, _ request: MockedRequest?,
        _ more: (inout JSONWriter) -> Void
    ) {
        json?.add { object in
            object.members([
                "name": name, "file": route.file, "line": route.line, "method": request?.method, "url": request?.url,
                "result": result,
            ])
            more(&object)
        }
    }

    /// A line such as `$.items[*].price: number -> string`.
    private static func text(_ difference: ResponseDifference) -> String {
        let place = difference.place.isEmpty ? difference.part.rawValue : difference.place
        return switch (difference.old, difference.new) {
        case (let old?, let new?): "\(place): \(old) -> \(new)"
        case (let old?, nil): "\(place): gone, was \(old)"
        case (nil, let new): "\(place): new, \(new ?? "nothing")"
        }
    }

    private func say(_ line: String) { Terminal.out(PlainText.clean(line) + "\n") }
}
