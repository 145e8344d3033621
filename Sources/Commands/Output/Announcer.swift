import JSON

/// Tells on standard error what happens to Shunt itself, in the manner of its log: a stream is for people or for
/// machines, never for both.
struct Announcer: Sendable {
    enum Manner: Sendable {
        case text(color: Bool)
        case json
    }

    let manner: Manner
    let stream: ErrorStream
    /// Prints only warnings and errors.
    var isQuiet = false

    /// Something went as it should.
    func tell(_ event: LogEvent, _ text: String, _ members: JSONMembers = [:]) {
        if !isQuiet { write(event, "shunt: " + text, members.write) }
    }

    /// Something needs attention.
    func warn(_ event: LogEvent, _ text: String, _ members: JSONMembers = [:]) {
        write(event, "shunt: " + painted(text, code: 33), members.write)
    }

    /// Several lines, given as they are.
    func block(_ event: LogEvent, _ text: String, json members: (inout JSONWriter) -> Void) {
        write(event, text, members)
    }

    /// Text in a colour of ECMA-48, if colours are welcome.
    func painted(_ text: String, code: Int) -> String {
        if case .text(color: true) = manner { "\u{1b}[\(code)m\(text)\u{1b}[0m" } else { text }
    }

    private func write(_ event: LogEvent, _ text: String, _ members: (inout JSONWriter) -> Void) {
        switch manner {
        case .text: stream.write(text + "\n")
        case .json:
            var writer = JSONWriter()
            writer.object { object in
                object.member("event", event.rawValue)
                members(&object)
            }
            stream.write(writer.text + "\n")
        }
    }
}

/// What a line of the log about Shunt itself tells; docs/scripting.md has their members.
package enum LogEvent: String, CaseIterable, Sendable {
    case started, detached, failed, port, crash, crashed, resumed
    case using, reloaded, problem, kept, contract, restored
    case paired, device, app, forgotten, mocks, network, program, unlocked, locked
    case store, storeUnlocked = "store-unlocked", storeLocked = "store-locked", recorded, recording, spans
    case admin, cluster, limit, draining, aborted, stopped, ended
}
