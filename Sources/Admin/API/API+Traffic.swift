// Recorded traffic; exchanges themselves are written by Inspection, as `shunt logs --json` has them.
extension API {
    package struct NewestTraffic: Members {
        package let newest = Member<Int?>("newest", "Null without exchanges.")
        package init() {}
    }

    package struct TrafficOf: Members {
        package let filter = Member<String?>("filter")
        package init() {}
    }

    package struct TimelineOf: Members {
        package let filter = Member<String?>("filter")
        package let steps = Member<Int?>("steps", "At most so many; 120 by default.", min: 1, max: 1000)
        package init() {}
    }

    package struct Timeline: Members {
        package let start = Member<Int?>("start_us", "When the first step begins; null without exchanges.")
        package let length = Member<Int>("step_us", "How long each step is.", min: 1)
        package let counts = Member<[Int]>("counts", "The exchanges that began in each step.")
        package let failed = Member<[Int]>("failed", "Those of them that failed, or have a status of 500 and more.")
        package init() {}
    }

    package struct RemovedTraffic: Members {
        package let removed = Member<Int>("removed", min: 0)
        package let isErased = Member<Bool>(
            "erased",
            "False while another program reads the store, whose log has the removed bytes until then.")
        package init() {}
    }

    package struct Operators: Members {
        package let operators = Member<[Record<Operator>]>("operators")
        package init() {}
    }

    package struct Operator: Members {
        package let name = Member<String>("name")
        package let argument = Member<String?>("argument")
        package let meaning = Member<String>("meaning")
        package init() {}
    }

    package struct BodyText: Members {
        package let text = Member<String>("text")
        package let isCut = Member<Bool>("cut", "Lines, or the ends of some, are left out.")
        package init() {}
    }

    package struct CodeOf: Members {
        package let form = Member<String?>("as")
        package init() {}
    }

    package struct Code: Members {
        package let title = Member<String>("title")
        package let code = Member<String>("code")
        package let secrets = Member<Int>("secrets", "Variables in it that have to be set.")
        package init() {}
    }

    package struct NewEdit: Members {
        package let profile = Member<String>("profile", "The profile that gets the route.")
        package let isRequest = Member<Bool?>("request", "Edit the request's body; by default the response's.")
        package let set = Member<[String]?>("set", "PATH=VALUE: a value that is set.")
        package let remove = Member<[String]?>("remove", "PATH: a member or an item that is removed.")
        package let append = Member<[String]?>("append", "PATH=VALUE: an item that is added to an array.")
        package let increment = Member<[String]?>("increment", "PATH=NUMBER: what is added to a number.")
        package init() {}
    }

    package struct MadeEdit: Members {
        package let profile = Member<String>("profile")
        package let file = Member<String>("file")
        package let note = Member<String?>("note", "Why the edit may not do what is wanted.")
        package init() {}
    }

    package struct NewRequest: Members {
        package let profile = Member<String?>(
            "profile", "The profile that responds; by default the one for requests of this machine.")
        package let method = Member<String?>("method", "GET by default.")
        package let url = Member<String>("url", "A whole one: http://HOST/PATH.")
        package let fields = Member<[[String]]?>(
            "fields", "Header fields, each a name and a value; without those of the connection.")
        package let body = Member<String?>("body", "None by default.")
        package init() {}
    }

    package struct Sent: Members {
        package let status = Member<Int>("status")
        package let microseconds = Member<Int>("time_us")
        package init() {}
    }

    package struct Replay: Members {
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
        package init() {}
    }

    package struct NewMessage: Members {
        package let text = Member<String?>("text", "The message of a WebSocket, or the data of an event.")
        package let base64 = Member<String?>("base64", "A binary message of a WebSocket, in place of text.")
        package let to = Member<String?>("to", "Who gets it; the client by default.", of: ["client", "origin"])
        package let event = Member<String?>("event", "The type of an event.")
        package let id = Member<String?>("id", "The ID of an event.")
        package init() {}
    }

    package struct MessageSent: Members {
        package let exchange = Member<Int>("exchange", min: 1)
        package let to = Member<String>("to", of: ["client", "origin"])
        package let length = Member<Int>("length", "Bytes of the message.", min: 0)
        package init() {}
    }

    package struct Replays: Members {
        package let id = Member<Int>("id")
        package let replays = Member<[Record<Replayed>]>("replays")
        package let isEqual = Member<Bool>("equal", "There are no differences apart from noise.")
        package init() {}
    }

    package struct Replayed: Members {
        package let status = Member<Int>("status")
        package let microseconds = Member<Int>("time_us", min: 0)
        package let isEqual = Member<Bool>("equal")
        package let differences = Member<[Record<Difference>]>("differences")
        package init() {}
    }

    package struct Difference: Members {
        package let part = Member<String>("part", of: ["status", "field", "body"])
        package let place = Member<String>("place", "The field's name, or the path in the body.")
        package let old = Member<String?>("old")
        package let new = Member<String?>("new")
        package let isVolatile = Member<Bool>("volatile", "It differs in every response, and is not counted.")
        package init() {}
    }
}
