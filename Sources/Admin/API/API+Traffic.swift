import Filter
package import Inspection
package import Store

// Recorded traffic; exchanges themselves are written by Inspection, as `shunt logs --json` has them.
extension API {
    static let filter = Member<String?>(
        "filter", "In mitmproxy's language (docs/traffic.md); all exchanges by default.", max: TrafficFilter.maxBytes)

    package final class TrafficPage: Members {
        package let filter = API.filter
        package let limit = Member<Int>("limit", "The maximum number.", min: 1, max: 1000, default: 100)
        package let order = Member<TrafficOrder>("order", "The order.", default: .newest)
        package let cursor = Member<String?>(
            "cursor", "The `next` of the page before; the other parameters stay the same.")
    }

    package final class TrafficGroups: Members {
        package let filter = API.filter
        package let by = Member<TrafficReader.Grouping>("by", "The value to group by.", default: .host)
        package let limit = Member<Int>("limit", "The maximum number of groups.", min: 1, max: 1000, default: 50)
    }

    package final class TrafficEventsOf: Members {
        package let filter = API.filter
        package let form = Member<TrafficEventForm>(
            "form", "`exchange`: an event for each exchange; `row`: one for all that is new, with a row for each.",
            default: .exchange)
    }

    package final class TrafficExport: Members {
        package let filter = API.filter
        package let format = Member<ExportFormat>(
            "format", "HTTP Archive 1.2, JSON Lines, or a page to share (docs/export.md).", default: .har)
    }

    package final class ExchangeOf: Members {
        package let after = Member<Int?>(
            "after", "Messages behind this number alone: the `messages_last` of the response before.", min: 0)
        package let bodies = Member<Bool>(
            "bodies", "`false` leaves the content of bodies out: no `text` and no `base64`.", default: true)
    }

    package final class NewestTraffic: Members {
        package let newest = Member<Int?>("newest", "Null without exchanges.")
    }

    package final class TrafficOf: Members {
        package let filter = API.filter
    }

    package final class TimelineOf: Members {
        package let filter = API.filter
        package let steps = Member<Int>("steps", "At most so many.", min: 1, max: 1000, default: 120)
    }

    package final class Timeline: Members {
        package let start = Member<Int?>("start_us", "When the first step begins; null without exchanges.")
        package let length = Member<Int>("step_us", "How long each step is.", min: 1)
        package let counts = Member<[Int]>("counts", "The exchanges that began in each step.")
        package let failed = Member<[Int]>("failed", "Those of them that failed, or have a status of 500 and more.")
    }

    package final class RemovedTraffic: Members {
        package let removed = Member<Int>("removed", min: 0)
        package let isErased = Member<Bool>(
            "erased",
            "False while another program reads the store, whose log has the removed bytes until then.")
    }

    package final class Operators: Members {
        package let operators = Member<[Record<Operator>]>("operators")
    }

    package final class Operator: Members {
        package let name = Member<String>("name")
        package let argument = Member<String?>("argument")
        package let meaning = Member<String>("meaning")
    }

    /// A page of lines.
    package final class LinesOf: Members {
        package let from = Member<Int>("from", "Lines that are left out in front.", min: 0, default: 0)
        package let limit = Member<Int>("limit", "Lines at most.", min: 1, max: 20_000, default: 20_000)
    }

    package final class BodyTextOf: Members {
        package let look = Member<BodyLook>(
            "as", "`type`: by the type of the body; `hex`: its bytes in hexadecimal.", default: .type)
        package let from = LinesOf().from
        package let limit = LinesOf().limit
    }

    package final class MessageTextOf: Members {
        package let number = Member<Int>("number", "That of the message within its exchange.", min: 0)
        package let from = LinesOf().from
        package let limit = LinesOf().limit
    }

    package final class DifferencesTo: Members {
        package let other = Member<Int>("to", "The number of another exchange.", min: 1)
    }

    package final class BodyText: Members {
        package let text = Member<String>("text")
        package let form = Member<BodyForm>("form", "What it is shown as.")
        package let isCut = Member<Bool>("cut", "Lines, or the ends of some, are left out.")
        package let next = Member<Int?>("next", "For `from` of the next page; null at the end.")
    }

    package final class CodeOf: Members {
        package let form = Member<RequestCode>("as", default: .curl)
    }

    package final class Code: Members {
        package let title = Member<String>("title")
        package let code = Member<String>("code")
        package let secrets = Member<Int>("secrets", "Variables in it that have to be set.")
    }

    package final class NewEdit: Members {
        package let profile = Member<String>("profile", "The profile that gets the route.")
        package let isRequest = Member<Bool?>("request", "Edit the request's body; by default the response's.")
        package let set = Member<[String]?>("set", "PATH=VALUE: a value that is set.")
        package let remove = Member<[String]?>("remove", "PATH: a member or an item that is removed.")
        package let append = Member<[String]?>("append", "PATH=VALUE: an item that is added to an array.")
        package let increment = Member<[String]?>("increment", "PATH=NUMBER: what is added to a number.")
    }

    package final class MadeEdit: Members {
        package let profile = Member<String>("profile")
        package let file = Member<String>("file")
        package let note = Member<String?>("note", "Why the edit may not do what is wanted.")
    }

    package final class NewRequest: Members {
        package let profile = Member<String?>(
            "profile", "The profile that responds; by default the one for requests of this machine.")
        package let method = Member<String?>("method", "GET by default.")
        package let url = Member<String>("url", "A whole one: http://HOST/PATH.")
        package let fields = Member<[[String]]?>(
            "fields", "Header fields, each a name and a value; without those of the connection.")
        package let body = Member<String?>("body", "None by default.")
    }

    package final class Sent: Members {
        package let status = Member<Int>("status")
        package let microseconds = Member<Int>("time_us")
    }

    package final class Replay: Members {
        package let profile = Member<String?>(
            "profile", "The profile that responds; by default the one for requests of this machine.")
        package let times = Member<Int?>("times", "1 by default.", min: 1, max: 10)
        package let force = Member<Bool?>("force", "Send it even if secrets or parts of the body were not recorded.")
        package let method = Member<String?>("method", "In place of the recorded one.")
        package let url = Member<String?>("url", "In place of the recorded one, absolute.")
        package let fields = Member<[[String]]?>(
            "fields",
            "All header fields, each a name and a value, in place of all recorded ones; without those of the connection."
        )
        package let body = Member<String?>("body", "In place of the recorded one, as UTF-8.")
    }

    package final class NewMessage: Members {
        package let text = Member<String?>("text", "The message of a WebSocket, or the data of an event.")
        package let base64 = Member<String?>("base64", "A binary message of a WebSocket, in place of text.")
        package let to = Member<String?>("to", "Who gets it; the client by default.", of: ["client", "origin"])
        package let event = Member<String?>("event", "The type of an event.")
        package let id = Member<String?>("id", "The ID of an event.")
    }

    package final class MessageSent: Members {
        package let exchange = Member<Int>("exchange", min: 1)
        package let to = Member<String>("to", of: ["client", "origin"])
        package let length = Member<Int>("length", "Bytes of the message.", min: 0)
    }

    package final class Replays: Members {
        package let id = Member<Int>("id")
        package let replays = Member<[Record<Replayed>]>("replays")
        package let isEqual = Member<Bool>("equal", "There are no differences apart from noise.")
    }

    package final class Replayed: Members {
        package let status = Member<Int>("status")
        package let microseconds = Member<Int>("time_us", min: 0)
        package let isEqual = Member<Bool>("equal")
        package let differences = Member<[Record<Difference>]>("differences")
    }

    package final class Difference: Members {
        package let part = Member<String>("part", of: ["status", "field", "body"])
        package let place = Member<String>("place", "The field's name, or the path in the body.")
        package let old = Member<String?>("old")
        package let new = Member<String?>("new")
        package let isVolatile = Member<Bool>("volatile", "It differs in every response, and is not counted.")
    }
}

extension TrafficReader.Grouping: MemberWord {}
extension RequestCode: MemberWord {}
extension BodyForm: MemberWord {}

/// How a body is shown.
package enum BodyLook: String, MemberWord { case type, hex }

/// Which exchanges a list begins with.
package enum TrafficOrder: String, MemberWord { case newest, oldest }

/// What events have of exchanges.
package enum TrafficEventForm: String, MemberWord {
    /// An event for each exchange, with all that lists have of it.
    case exchange
    /// An event for all that is new, with a row for each exchange.
    case row
}

/// The forms of an export.
package enum ExportFormat: String, MemberWord {
    case har, jsonl, html

    var type: String {
        switch self {
        case .har: "application/json"
        case .jsonl: "application/x-ndjson"
        case .html: "text/html; charset=utf-8"
        }
    }
}
