// Breakpoints, and the exchanges that they hold.
extension API {
    package final class BreakpointBody: Members {
        package let filter = Member<String>(
            "filter", "As of `shunt logs`; what is not known when a head has come is refused.")
        package let phase = Member<String?>(
            "phase", "request by default.", of: ["request", "response", "both", "message"])
        package let device = Member<String?>("device", "A device's name, or any client's address: for this one only.")
        package let seconds = Member<Int?>(
            "seconds", "After that time an exchange goes on as it is; 60 by default.", min: 1, max: 600)
    }

    package final class OneBreakpoint: Members {
        package let id = Member<Int?>("id", "All of them without it.", min: 1)
    }

    package final class Breakpoints: Members {
        package let breakpoints = Member<[Record<Breakpoint>]>("breakpoints")
        package let passed = Member<Int>("passed", "Exchanges that went on because 64 were held.", min: 0)
    }

    package final class Breakpoint: Members {
        package let id = Member<Int>("id", min: 1)
        package let filter = Member<String>("filter")
        package let phase = Member<String>("phase", of: ["request", "response", "both", "message"])
        package let device = Member<String?>("device", "Null for all clients.")
        package let seconds = Member<Int>("seconds", "After that time an exchange goes on as it is.")
        package let held = Member<Int>("held", "How many exchanges it holds now.", min: 0)
    }

    package final class HeldList: Members {
        package let held = Member<[Record<Held>]>("held", "The oldest first.")
        package let breakpoints = Member<[Record<Breakpoint>]>("breakpoints")
    }

    package final class Held: Members {
        package let id = Member<Int>("id", "Its number among held exchanges.", min: 1)
        package let phase = Member<String>("phase", of: ["request", "response", "message"])
        package let from = Member<String?>("from", "Of a message.", of: ["client", "origin"])
        package let kind = Member<String?>("kind", "Of a message.", of: ["text", "binary", "event"])
        package let breakpoint = Member<Int>("breakpoint", min: 1)
        package let filter = Member<String>("filter", "Of the breakpoint.")
        package let method = Member<String>("method")
        package let url = Member<String>("url", "Secrets are replaced.")
        package let status = Member<Int?>("status", "Of a response.")
        package let client = Member<String>("client", "Its address.")
        package let device = Member<String?>("device")
        package let profile = Member<String?>("profile")
        package let millisecondsLeft = Member<Int>("left_ms", "Until it goes on by itself.", min: 0)
    }

    /// Secrets are replaced, and put back where the replacement stays.
    package final class HeldMessage: Members {
        package let id = Member<Int>("id", min: 1)
        package let phase = Member<String>("phase", of: ["request", "response", "message"])
        package let from = Member<String?>("from", "Of a message.", of: ["client", "origin"])
        package let kind = Member<String?>("kind", "Of a message.", of: ["text", "binary", "event"])
        package let method = Member<String>("method")
        package let host = Member<String>("host", "Of a request.")
        package let path = Member<String>("path", "Path and query of a request.")
        package let status = Member<Int?>("status", "Of a response.")
        package let fields = Member<[[String]]>(
            "fields", "Each a name and a value, without Host and those that Shunt writes for the connection.")
        package let body = Member<String?>("body", "Decoded; null where there is none that can be edited.")
        package let base64 = Member<String?>("base64", "A body that is no text.")
        package let note = Member<String?>("note", "Why there is none.")
        package let url = Member<String>("url")
        package let millisecondsLeft = Member<Int>("left_ms", min: 0)
    }

    package final class HeldEdit: Members {
        package let method = Member<String?>("method", "In place of the request's.")
        package let host = Member<String?>("host", "In place of the request's.")
        package let path = Member<String?>("path", "Path and query, in place of the request's.")
        package let status = Member<Int?>("status", "In place of the response's.", min: 200, max: 599)
        package let fields = Member<[[String]]?>(
            "fields", "All fields, each a name and a value, in place of those that are shown.")
        package let body = Member<String?>("body", "In place of the one that is shown; Shunt sets length and codings.")
        package let base64 = Member<String?>("base64", "A body that is no text, in place of body.")
    }

    package final class HeldResponse: Members {
        package let status = Member<Int?>("status", "200 by default.", min: 200, max: 599)
        package let fields = Member<[[String]]?>("fields", "Each a name and a value.")
        package let body = Member<String?>("body", "None by default. After a message: what its sender gets instead.")
        package let base64 = Member<String?>("base64", "A body that is no text, in place of body.")
    }
}
