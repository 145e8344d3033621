// The active profile, the profiles of devices and users, and routes.
extension API {
    package final class Use: Members {
        package let profile = Member<String>("profile", "A profile's name.")
        package let wait = Member<Bool?>(
            "wait",
            "Wait until nothing responds by the old profile any more, on every node of a cluster.")
        package let waitSeconds = Member<Int?>("waitSeconds", "How long; 10 by default.", min: 1, max: 60)
        package let closeSockets = Member<Bool?>(
            "closeSockets",
            "End the WebSockets and event streams of clients that followed the old profile, on this node; the new profile's `closeSockets` does so, too."
        )
    }

    package final class Used: Members {
        package let active = Member<String>("active")
        package let previous = Member<String>("previous")
        package let unanswered = Member<Int?>(
            "unanswered",
            "With `wait` and without a cluster: requests that began before and still wait for their response.",
            omitted: true)
        package let open = Member<Record<Streams>?>(
            "open", "Streams that stay with the old profile; absent without any.", omitted: true)
        package let closed = Member<Record<Streams>?>(
            "closed", "Streams of the old profile that were ended; absent without any.", omitted: true)
        package let cluster = Member<Record<Takeover>?>("cluster", "There in a cluster alone.", omitted: true)
    }

    package final class Streams: Members {
        package let webSockets = Member<Int>("webSockets")
        package let eventStreams = Member<Int>("eventStreams")
    }

    package final class UseDevice: Members {
        package let profile = Member<String?>("profile", "Null for the active one.")
        package let device = Member<String>("device", "A device's name, or a client's address.")
    }

    package final class UsedDevice: Members {
        package let device = Member<String>("device")
        package let profile = Member<String?>("profile")
        package let previous = Member<String?>("previous")
    }

    package final class UseApp: Members {
        package let profile = Member<String?>("profile", "Null for the one of other clients.")
        package let app = Member<String>("app", "A program of this machine, or the script that it runs.")
    }

    package final class UsedApp: Members {
        package let app = Member<String>("app")
        package let profile = Member<String?>("profile")
        package let previous = Member<String?>("previous")
    }

    package final class UseUser: Members {
        package let profile = Member<String?>("profile", "Null for the active one.")
        package let user = Member<String>("user", "A user's name.")
    }

    package final class UsedUser: Members {
        package let user = Member<String>("user")
        package let profile = Member<String?>("profile")
        package let previous = Member<String?>("previous")
    }

    /// A profile, or nothing.
    package final class Choice: Members {
        package let profile = Member<String?>("profile", "A profile's name; null for the usual one.")
    }

    package final class Unlock: Members {
        package let profile = Member<String>("profile", "A profile's name.")
        package let seconds = Member<Int>("seconds", "Seconds from now.")
        package let reason = Member<String>("reason", "The reason for the changes.")
        package let wait = Member<Bool?>("wait", "In a cluster: wait for every node.")
        package let waitSeconds = Member<Int?>("waitSeconds", "How long; 10 by default.", min: 1, max: 60)
    }

    package final class Unlocked: Members {
        package let profile = Member<String>("profile")
        package let seconds = Member<Int>("seconds", min: 0)
        package let reason = Member<String>("reason")
        package let cluster = Member<Record<Takeover>?>("cluster", "There in a cluster alone.", omitted: true)
    }

    package final class Lock: Members {
        package let profile = Member<String>("profile", "A profile's name.")
        package let wait = Member<Bool?>("wait", "In a cluster: wait for every node.")
        package let waitSeconds = Member<Int?>("waitSeconds", "How long; 10 by default.", min: 1, max: 60)
    }

    package final class Locked: Members {
        package let profile = Member<String>("profile")
        package let wasUnlocked = Member<Bool>("wasUnlocked")
        package let cluster = Member<Record<Takeover>?>("cluster", "There in a cluster alone.", omitted: true)
        package let isWaiting = Member<Bool?>(
            "isWaiting", "Locked on this node alone, until the database of the cluster is back.", omitted: true)
    }

    package final class RoutesOf: Members {
        package let profile = Member<String?>("profile", "The active profile by default.")
    }

    package final class Routes: Members {
        package let profile = Member<String>("profile")
        package let kind = Member<String>("kind", of: API.kinds)
        package let description = Member<String?>("description")
        package let routes = Member<[Record<RouteEntry>]>("routes", "In the order in which they are compared.")
        package let exceptions = Member<[Record<TrustException>]>(
            "exceptions", "Trust rules of all profiles that switch checks off.")
    }

    package final class RouteEntry: Members {
        package let label = Member<String>("label")
        package let profile = Member<String>("profile")
        package let kind = Member<String>("kind", of: API.kinds)
        package let file = Member<String>("file")
        package let line = Member<Int>("line")
        package let responder = Member<String>("responder", "The key in the profile: origin, mock and the like.")
        package let targets = Member<[String]>("targets", "The origins and profiles that are asked, in order.")
        package let isUnverified = Member<Bool>("unverified", "The certificate of an origin is not checked.")
        package let guarded = Member<String?>("guarded", "The production profile whose guard counts.")
        package let allowed = Member<[String]>("allowed", "Exceptions of the guard.")
        package let mock = Member<String?>("mock", "The name by which it is switched on and off.")
        package let isOn = Member<Bool?>("on", "Null where it cannot be switched.")
    }

    package final class TrustException: Members {
        package let pattern = Member<String>("pattern")
        package let policy = Member<String>("policy")
        package let until = Member<String?>("until")
        package let reason = Member<String?>("reason")
        package let profile = Member<String>("profile")
        package let file = Member<String>("file")
        package let line = Member<Int>("line")
    }

    package final class Explain: Members {
        package let url = Member<String>("url", "An absolute URL, or a path.")
        package let method = Member<String?>("method", "GET by default.")
        package let profile = Member<String?>(
            "profile", "The one that the request names; by default the host's or the device's, else the active one.")
        package let device = Member<String?>("device", "The device that the request comes from: its name or address.")
    }

    /// With further members, as `shunt explain --json`.
    package final class Explained: Members {
        package let profile = Member<String>("profile")
        package let method = Member<String>("method")
        package let url = Member<String>("url")
        package let isMatched = Member<Bool>("matched")
        package let text = Member<String>("text", "The same for people, as `shunt explain` prints it.")
    }
}
