package import JSON

// Mocks, notifications that stand-ins have accepted, and networks.
extension API {
    package final class MocksOf: Members {
        package let profile = Member<String?>("profile", "The active profile by default.")
        package let device = Member<String?>(
            "device", "The device's name or address: the state of mocks for this device.")
    }

    package final class MockSwitch: Members {
        package let state = Member<String>("state", of: ["on", "off", "only", "reset"])
        package let names = Member<[String]?>("names")
        package let all = Member<Bool?>("all", "In place of names.")
        package let profile = Member<String?>("profile", "The active profile by default.")
        package let device = Member<String?>("device", "The device's name or address: for this device only.")
        package let keep = Member<Bool?>("keep", "Save which mocks are off, for the next start of Shunt.")
    }

    package final class Mocks: Members {
        package let profile = Member<String>("profile")
        package let device = Member<String?>("device")
        package let isKept = Member<Bool>("kept")
        package let scenarios = Member<[Record<Scenario>]>("scenarios")
        package let mocks = Member<[Record<Mock>]>("mocks")
    }

    package final class Scenario: Members {
        package let name = Member<String>("name", "Empty for the scenario without a name.")
        package let state = Member<String>("state")
    }

    package final class Mock: Members {
        package let name = Member<String>("name")
        package let isOn = Member<Bool>("on")
        package let hits = Member<Int>("hits", min: 0)
        package let lastHit = Member<Int?>("lastHit", "Seconds since 1970.")
        package let responder = Member<String>("responder", "mock, redirect and the like.")
        package let route = Member<Record<RoutePlace>>("route")
    }

    package final class RoutePlace: Members {
        package let label = Member<String>("label")
        package let profile = Member<String>("profile")
        package let kind = Member<String>("kind", of: API.kinds)
        package let file = Member<String>("file")
        package let line = Member<Int>("line")
    }

    package final class MadeMock: Members {
        package let profile = Member<String>("profile")
        package let file = Member<String>("file")
        package let bodies = Member<[String]>("bodies")
        package let secrets = Member<Int>("secrets", "How many were replaced.", min: 0)
    }

    package final class PushesAfter: Members {
        package let after = Member<Int>("after", "Those behind this number.", min: 0, default: 0)
        package let limit = Member<Int>("limit", min: 1, max: 1000, default: 1000)
    }

    package final class Pushes: Members {
        package let count = Member<Int>("count", "All that ever came.", min: 0)
        package let last = Member<Int>("last", "For `after` of the next request.", min: 0)
        package let pushes = Member<[Record<Push>]>("pushes", "The oldest first.")
    }

    package final class Push: Members {
        package let number = Member<Int>("number", min: 1)
        package let time = Member<Int>("time", "Microseconds since 1970.")
        package let profile = Member<String>("profile")
        package let token = Member<String?>("token", "In small letters; missing for a broadcast.", omitted: true)
        package let bundle = Member<String?>("bundle", "Of a broadcast.", omitted: true)
        package let channel = Member<String?>("channel", "Of a broadcast.", omitted: true)
        package let id = Member<String>("id", "apns-id.")
        package let uniqueID = Member<String>("uniqueID", "apns-unique-id.")
        package let topic = Member<String?>("topic")
        package let type = Member<String?>("type", "apns-push-type.")
        package let priority = Member<Int>("priority", "1, 5 or 10.")
        package let expiration = Member<Int?>("expiration", "Seconds since 1970.")
        package let collapseID = Member<String?>("collapseID")
        package let payload = Member<JSONValue>("payload")
    }

    package final class ForgottenPushes: Members {
        package let forgotten = Member<Int>("forgotten", min: 0)
    }

    package final class NetworkChoiceBody: Members {
        package let network = Member<String>(
            "network",
            "A preset; off for the network that there is, in spite of profiles; default to leave it to the run and the profiles."
        )
        package let device = Member<String?>("device", "A device's name, or any client's address: for this one only.")
        package let seconds = Member<Int?>("seconds", "How long; until Shunt ends without it.", min: 1, max: 86400)
    }

    package final class Networks: Members {
        package let choices = Member<[Record<NetworkChoice>]>("choices")
        package let run = Member<Record<Network>?>("run", "Chosen by serve --network.")
        package let profiles = Member<[Record<ProfileNetwork>]>("profiles")
        package let presets = Member<[Record<Network>]>("presets")
    }

    package final class NetworkChoice: Members {
        package let device = Member<String?>("device", "Null for all clients.")
        package let network = Member<Record<Network>?>("network", "Null for the network that there is.")
        package let seconds = Member<Int?>("seconds", "The remaining seconds; null without an end.")
    }

    package final class ProfileNetwork: Members {
        package let profile = Member<String>("profile")
        package let network = Member<Record<Network>>("network")
    }

    /// One that cuts connections, or the way to origins, has no figures.
    package final class Network: Members {
        package let name = Member<String>("name", "The preset, or custom for a profile's own figures.")
        package let summary = Member<String>("summary", "The figures in one line.")
        package let isOffline = Member<Bool>("offline", "There is no network: connections are reset.")
        package let latencyMs = Member<Int?>("latencyMs", "A round trip.", omitted: true)
        package let jitterMs = Member<Int?>("jitterMs", omitted: true)
        package let distribution = Member<String?>("distribution", of: ["uniform", "normal", "pareto"], omitted: true)
        package let downBitsPerSecond = Member<Int??>(
            "downBitsPerSecond", "Towards the client; null without a limit.", omitted: true)
        package let upBitsPerSecond = Member<Int??>("upBitsPerSecond", omitted: true)
        package let lossPerMillion = Member<Int?>("lossPerMillion", "Lost packets among a million.", omitted: true)
        package let stallMs = Member<Int?>(
            "stallMs", "How long a lost packet holds back what is behind it.", omitted: true)
        package let setupMs = Member<Int?>("setupMs", "What a new connection costs.", omitted: true)
    }
}
