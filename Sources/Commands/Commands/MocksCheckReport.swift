import Bytes
import Inspection
import JSON
import Profiles

/// The results of `shunt mocks check`: text mock by mock, JSON at the end.
struct MocksCheckReport {
    private let profiles: (own: String, other: String)
    private let isJSON: Bool
    private var json = JSONWriter(style: .pretty)
    private var equal = 0
    private var drifted = 0
    private var withoutResponse = 0
    private var skipped = 0

    init(_ profile: Profile, _ other: Profile, _ port: UInt16, _ settings: MocksCheckSettings) {
        (profiles, isJSON) = ((profile.name, other.name), settings.isJSON)
        guard isJSON else { return }
        json.beginObject()
        json.member("profile", profile.name)
        json.member("against", other.name)
        json.member("port", port)
        json.key("mocks")
        json.beginArray()
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
        if isJSON {
            json.endArray()
            json.member("equal", status == 0)
            json.endObject()
            return Terminal.out(json.text + "\n")
        }
        let counts = [
            (drifted, "different"), (withoutResponse, "without a response"), (skipped, "skipped"),
        ].filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        say("\(profiles.own) and \(profiles.other): \(equal) equal\(counts)")
    }

    private mutating func write(
        _ name: String, _ route: Route, _ result: String, _ request: MockedRequest?,
        _ more: (inout JSONWriter) -> Void
    ) {
        json.object { object in
            object.member("name", name)
            object.member("file", route.file)
            object.member("line", route.line)
            object.member("method", request?.method)
            object.member("url", request?.url)
            object.member("result", result)
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
