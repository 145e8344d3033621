package import JSON

// Sessions, which lay routes over a profile for the requests that carry their identifier.
extension API {
    package final class SessionWish: Members {
        package let name = Member<String?>("name", "What people call it.")
        package let profile = Member<String?>("profile", "The profile under it; the active one by default.")
        package let hasPort = Member<Bool?>(
            "port", "true opens a port of its own, whose requests need neither field nor cookie.")
        package let idleSeconds = Member<Int?>(
            "idleSeconds", "It ends after so long without a request; 1800 by default.", min: 1, max: 86_400)
        package let network = Member<String?>("network", "A preset: what the network of its clients is like.")
    }

    package final class Sessions: Members {
        package let sessions = Member<[Record<Session>]>("sessions", "The oldest first.")
    }

    package final class Session: Members {
        package let id = Member<String>("id")
        package let name = Member<String?>("name")
        package let profile = Member<String>("profile", "The profile under it.")
        package let header = Member<String>("header", "The field that a request carries it by.")
        package let cookie = Member<String>("cookie", "The cookie for the same.")
        package let url = Member<String?>("url", "The URL of its own port.")
        package let user = Member<String?>("user", "Whose it is; null for the owner's.")
        package let network = Member<String?>("network")
        package let startedAt = Member<Int>("startedAt", "Seconds since 1970.")
        package let idleSeconds = Member<Int>("idleSeconds", min: 1)
        package let secondsLeft = Member<Int>("secondsLeft", "Until it ends unless it is used.", min: 0)
        package let requests = Member<Int>("requests", min: 0)
        package let routes = Member<Int>("routes", "How many it has.", min: 0)
        package let problem = Member<String?>("problem", "Why it does not respond since the profiles were read again.")
    }

    package final class EndedSession: Members {
        package let ended = Member<String>("ended", "Its identifier.")
    }

    /// Or one route, or an array of them.
    package final class RoutesToAdd: Members {
        package let routes = Member<[JSONValue]>("routes", "Each as in a profile.")
    }

    package final class SessionRoutes: Members {
        package let routes = Member<[Record<SessionRoute>]>("routes", "Those that were posted last come first.")
    }

    package final class SessionRoute: Members {
        package let name = Member<String>("name")
        package let label = Member<String>("label", "Its pattern in short.")
        package let responder = Member<String>("responder", "mock, origin and the like.")
        package let targets = Member<[String]>("targets", "The origins and profiles that it asks.")
        package let hits = Member<Int>("hits", min: 0)
        package let lastHit = Member<Int?>("lastHit", "Seconds since 1970.")
    }

    /// Or one expectation, or an array of them.
    package final class ExpectationsToAdd: Members {
        package let expect = Member<[JSONValue]>(
            "expect", "Each as in a file of `shunt expect`, or a text as of --expect.")
    }

    package final class SessionExpectations: Members {
        package let names = Member<[String]>("names", "Of those that were added.")
    }

    package final class Verification: Members {
        package let isMet = Member<Bool>("met", "All are met.")
        package let exchanges = Member<Int>("exchanges", "Of the session.", min: 0)
        package let expectations = Member<[JSONValue]>(
            "expectations", "As in a JSON report of `shunt expect`; each that is not met with its nearest miss.")
        package let failures = Member<[String]>("failures", "Those that are not met, in words.")
    }

    package final class SessionRouteName: Members {
        package let name = Member<String?>("name", "All routes without it; sequences and states begin anew then.")
    }
}
