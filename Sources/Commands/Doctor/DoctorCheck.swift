import JSON

/// One line of the report of `shunt doctor`, with a fix unless all is well.
struct DoctorCheck: Sendable {
    enum State: String, Sendable {
        case ok, warning, wrong
    }

    let area: DoctorArea
    let state: State
    let what: String
    let fix: String?

    static func ok(_ area: DoctorArea, _ what: String) -> DoctorCheck {
        DoctorCheck(area: area, state: .ok, what: what, fix: nil)
    }

    /// Does not count for the exit status.
    static func warning(_ area: DoctorArea, _ what: String, fix: String) -> DoctorCheck {
        DoctorCheck(area: area, state: .warning, what: what, fix: fix)
    }

    static func wrong(_ area: DoctorArea, _ what: String, fix: String) -> DoctorCheck {
        DoctorCheck(area: area, state: .wrong, what: what, fix: fix)
    }

    var text: String {
        let mark =
            switch state {
            case .ok: "ok"
            case .warning: "!"
            case .wrong: "WRONG"
            }
        let head = padded(mark, 7) + padded(area.rawValue, 10)
        return head + line(what) + "\n" + (fix.map { padded("", 17) + "fix: " + line($0) + "\n" } ?? "")
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(text.isEmpty ? width : 1, width - text.count))
    }

    /// One line, whatever messages have.
    private func line(_ text: String) -> String { text.split(separator: "\n").joined(separator: " ") }

    func write(to array: inout JSONWriter) {
        array.object(["area": area.rawValue, "state": state.rawValue, "what": what, "fix": fix])
    }
}

/// What `shunt doctor` looks at; docs/cli.md says when each is wrong.
package enum DoctorArea: String, CaseIterable, Sendable {
    case profiles, trust, origin, grpc, clock
    case authority = "CA"
    case key, trusted, traffic, crash, port
    case dns = "DNS"
}
