// Devices, users with their tokens, and the audit trail.
extension API {
    package final class Devices: Members {
        package let devices = Member<[Record<Device>]>("devices")
        package let users = Member<[Record<UserChoice>]>("users")
        package let apps = Member<[Record<AppChoice>]>(
            "apps", "Programs of this machine that have a profile of their own, or are connected.")
    }

    package final class Device: Members {
        package let name = Member<String>("name")
        package let address = Member<String?>("address")
        package let isPaired = Member<Bool>("paired")
        package let profile = Member<String?>("profile", "Null for the active one.")
        package let user = Member<String?>("user", "Whose it is.")
        package let lastSeen = Member<Int>("lastSeen", "Seconds since 1970.")
    }

    package final class AppChoice: Members {
        package let app = Member<String>("app", "The program, with its script where it runs one.")
        package let profile = Member<String?>("profile", "The one that was chosen for it; null for none.")
        package let connections = Member<Int>("connections", "How many it has.", min: 0)
    }

    package final class UserChoice: Members {
        package let user = Member<String>("user")
        package let profile = Member<String>("profile")
    }

    package final class OneDevice: Members {
        package let device = Member<String>("device", "Its name, or its address.")
    }

    package final class All: Members {
        package let all = Member<Bool>("all", "True.")
    }

    package final class Forgotten: Members {
        package let forgotten = Member<[String]>("forgotten")
    }

    package final class Pairing: Members {
        package let code = Member<String>("code")
        package let seconds = Member<Int>("seconds", "How long it is valid.", min: 0)
        package let profile = Member<String?>("profile")
        package let urls = Member<[String]>("urls", "For phones.")
        package let localURL = Member<String?>("localURL", "For this machine.")
    }

    package final class App: Members {
        package let app = Member<String>(
            "app", "Makes a device of the user for an app or a script, which sends the cookie of the response.")
        package let profile = Member<String?>("profile", "The profile that the device gets at once.")
    }

    package final class PairedApp: Members {
        package let device = Member<String>("device")
        package let user = Member<String>("user")
        package let profile = Member<String?>("profile")
        package let cookie = Member<String>("cookie", "For the field Cookie.")
    }

    package final class InspectorLink: Members {
        package let url = Member<String>("url")
        package let seconds = Member<Int>("seconds", "How long it is valid.")
    }

    package final class LoginCode: Members {
        package let code = Member<String>("code", "Of the link.")
    }

    package final class LoginToken: Members {
        package let token = Member<String>("token")
    }

    package final class LoggedIn: Members {
        package let key = Member<String>("key", "For the field Shunt-Inspector.")
    }

    package final class Tokens: Members {
        package let tokens = Member<[Record<Token>]>("tokens")
    }

    package final class Token: Members {
        package let id = Member<String>("id", "The public part of the token.")
        package let user = Member<String>("user")
        package let may = Member<[String]>("may", of: Permission.allCases.names)
        package let created = Member<Int>("created", "Seconds since 1970.")
        package let until = Member<Int?>("until", "Seconds since 1970.")
        /// In the file alone.
    }

    package final class TokenWish: Members {
        package let user = Member<String>("user")
        package let may = Member<[String]?>("may", of: Permission.allCases.names)
        package let seconds = Member<Int?>("seconds", "How long it is valid; null for no end.")
    }

    package final class NewToken: Members {
        package let token = Member<String>("token", "Shown this once.")
        package let id = Member<String>("id", "The public part of the token.")
        package let user = Member<String>("user")
        package let may = Member<[String]>("may", of: Permission.allCases.names)
        package let created = Member<Int>("created", "Seconds since 1970.")
        package let until = Member<Int?>("until", "Seconds since 1970.")
    }

    package final class TokenName: Members {
        package let token = Member<String>("token", "A user's name, or a token's `id`.")
    }

    package final class RevokedTokens: Members {
        package let revoked = Member<[String]>("revoked", "Identifiers.")
    }

    package final class AuditOf: Members {
        package let since = Member<Int>("since", "Seconds since 1970.", min: 0, max: 4_294_967_294, default: 0)
        package let user = Member<String?>("user")
        package let limit = Member<Int>("limit", min: 1, max: 1000, default: 100)
    }

    package final class AuditTrail: Members {
        package let entries = Member<[Record<Audit>]>("entries")
    }

    /// A change, or an attempt that was refused: a line of the audit trail.
    package final class Audit: Members {
        package let time = Member<String>("time", "In UTC (RFC 3339).")
        package let who = Member<String>("who", "A user, `owner`, `device`, or empty.")
        package let token = Member<String?>("token")
        package let through = Member<String>("through", "`api`, `inspector`, `page` or `command`.")
        package let action = Member<String>("action")
        package let target = Member<String?>("target")
        package let before = Member<String?>("before")
        package let after = Member<String?>("after")
        package let from = Member<String?>("from")
        package let refused = Member<String?>("refused")
    }

    package final class StoreUnlock: Members {
        package let identities = Member<[String]>("identities", "The texts of files of identities, of age or OpenSSH.")
        package let seconds = Member<Int>("seconds", "Seconds from now.", min: 1, max: 28800)
    }

    package final class StoreUnlocked: Members {
        package let seconds = Member<Int>("seconds", min: 1)
    }

    package final class StoreLocked: Members {
        package let wasUnlocked = Member<Bool>("wasUnlocked")
    }
}
