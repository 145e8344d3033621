import Engine
import Reactor

/// Until when a request may be carried out, as its client said: a command that gave up has told its user that nothing
/// happened, and the request may still lie in a queue then.
enum AdminDeadline {
    /// Nanoseconds of the machine's monotonic clock, which both ends share.
    static let field = "Shunt-Deadline"
    /// What is left of the client's patience for the response to get there.
    private static let margin: UInt64 = Limits.second

    /// The field's value for a client that waits so long from now on.
    static func value(patience seconds: Int, now: Instant = .now()) -> String {
        "\(now.after(UInt64(seconds) * Limits.second - margin))"
    }

    /// Throws when the time is over; requests that name none have no end.
    static func admit(_ request: HandledRequest, now: Instant = .now()) throws(AdminRefusal) {
        for field in request.fields where field.name.lowercased() == Self.field.lowercased() {
            guard let deadline = Instant(field.value) else {
                throw AdminRefusal(
                    400, "\(Self.field) is “\(field.value)”",
                    advice: "Give nanoseconds of the machine's monotonic clock, or leave it away.")
            }
            guard now < deadline else {
                throw AdminRefusal(503, "the request came too late, and nothing was done", advice: "Send it again.")
            }
        }
    }
}
