// The state of a running Shunt.
extension API {
    package final class Status: Members {
        package let pid = Member<Int>("pid")
        package let version = Member<String>("version")
        package let startedAt = Member<Int>("startedAt", "Seconds since 1970.")
        package let urls = Member<[String]>("urls")
        package let pages = Member<[String]>("pages", "Of the pages for devices; empty with --no-pages.")
        package let profilesDirectory = Member<String>("profilesDirectory")
        package let active = Member<String>("active", "The active profile.")
        package let profiles = Member<[Record<ProfileSummary>]>("profiles")
        package let allowedHosts = Member<[String]>(
            "allowedHosts", "Hosts that clients may use beside those of profiles, as `--allow-host` names them.")
        package let connections = Member<Int>("connections", min: 0)
        package let exchangesUnderWay = Member<Int>("exchangesUnderWay", min: 0)
        package let webSockets = Member<Int>(
            "webSockets", "How many of the exchanges under way are WebSockets.", min: 0)
        package let exchanges = Member<Int>("exchanges", min: 0)
        package let failures = Member<Int>("failures", min: 0)
        package let idleOriginConnections = Member<Int>("idleOriginConnections", min: 0)
        package let heldBodies = Member<Int>("heldBodies", "Bytes of memory that held bodies of requests take.", min: 0)
        package let heldBodiesLimit = Member<Int>("heldBodiesLimit", "The most that they may take.", min: 0)
        package let openTunnels = Member<Int>(
            "openTunnels", "Open tunnels of clients that have Shunt as their proxy.", min: 0)
        package let tunnels = Member<Int>("tunnels", "All tunnels since the start.", min: 0)
        package let devices = Member<Int>("devices", "The number of known devices.", min: 0)
        package let apps = Member<[Record<AppChoice>]>(
            "apps", "Programs of this machine that have a profile of their own.")
        package let mocks = Member<Int>("mocks", "The number of mocks of the active profile.", min: 0)
        package let mocksOff = Member<[String]>("mocksOff", "The names of the mocks that are off for all clients.")
        package let networks = Member<[String]>(
            "networks", "The conditions that were chosen for networks, in words: lte, metro for iPhone.")
        package let keyLog = Member<String?>(
            "keyLog", "The file that gets the keys of all TLS connections; null where none does.")
        package let sealedSeconds = Member<Int?>(
            "sealedSeconds",
            "The seconds for which all of the sealed store can be read here; 0 where only its newest part can, null where the store is not sealed.",
            min: 0)
        package let cluster = Member<Record<Cluster>?>("cluster", "Null without --cluster.")
        package let keptProduction = Member<[String]>(
            "keptProduction", "Why origins are still production though no file says so: one sentence each.")
        package let unlocked = Member<[Record<UnlockedProfile>]>("unlocked")
        package let attachments = Member<[Record<Attachment>]>(
            "attachments", "The machines of users that respond in place of origins.")
        package let logins = Member<[Record<Login>]>("logins", "The tokens of profiles.")
        package let programs = Member<[Record<Program>]>("programs", "The servers of origins that Shunt starts.")
        package let reflections = Member<[Record<Reflection>]>(
            "reflections", "The servers that are asked for the schemas of their calls.")
    }

    package final class ProfileSummary: Members {
        package let name = Member<String>("name")
        package let kind = Member<String>("kind", of: API.kinds)
        package let routes = Member<Int>("routes", min: 0)
    }

    static let kinds = ["local", "staging", "production"]

    package final class UnlockedProfile: Members {
        package let profile = Member<String>("profile")
        package let reason = Member<String>("reason")
        package let seconds = Member<Int>("seconds", "The remaining time.", min: 0)
    }

    package final class Reloaded: Members {
        package let changes = Member<[String]>("changes", "One sentence each.")
        package let problems = Member<[String]>("problems", "`file:line:column: message`.")
    }

    /// The results of asking all origins.
    package final class Probes: Members {
        package let origins = Member<[Record<Probe>]>("origins")
    }

    package final class Probe: Members {
        package let origin = Member<String>("origin")
        package let profiles = Member<[String]>("profiles")
        package let address = Member<String?>("address")
        package let trust = Member<String?>("trust")
        package let trustDecision = Member<String?>("trustDecision")
        package let status = Member<Int?>("status")
        package let milliseconds = Member<Record<ProbeTimes>>("milliseconds")
        package let failure = Member<Record<ProbeFailure>?>("failure")
        package let note = Member<String?>(
            "note", "Why it does not respond though nothing is wrong: Shunt has not started it yet.")
    }

    package final class ProbeTimes: Members {
        package let resolve = Member<Double?>("resolve")
        package let connect = Member<Double?>("connect")
        package let tls = Member<Double?>("tls")
        package let response = Member<Double?>("response")
        package let total = Member<Double?>("total")
    }

    package final class ProbeFailure: Members {
        package let side = Member<String>("side")
        package let stage = Member<String>("stage")
        package let message = Member<String>("message")
        package let advice = Member<String?>("advice")
    }

    package final class OriginFiles: Members {
        package let files = Member<[Record<OriginFile>]>("files")
        package let set = Member<[String]>("set", "What `--set` adds, which is in no file.")
    }

    package final class OriginFile: Members {
        package let name = Member<String>("name", "Without a folder.")
        package let text = Member<String>("text")
    }
}
