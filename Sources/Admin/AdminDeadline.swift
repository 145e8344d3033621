import Engine
import Reactor

/// The time until which a request may be carried out, as its client says: a command that gave up has reported that
/// nothing happened, while the request may still be queued.
enum AdminDeadline {
    /// Nanoseconds of the machine's monotonic clock, which both ends share.
    static let field = "Shunt-Deadline"
    /// Time reserved for the response to reach the client.
    private static let margin: UInt64 = Limits.second

    /// The field's value for a client that waits this long from now on.
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
