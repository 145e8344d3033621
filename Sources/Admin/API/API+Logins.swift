// Tokens that Shunt puts into requests of profiles, without their text.
extension API {
    package final class ProfileLogin: Members {
        package let profile = Member<String>("profile", "A profile's name.")
    }

    package final class ProfileLogout: Members {
        package let profile = Member<String?>("profile", "A profile's name; null for all.")
    }

    package final class LoggedOut: Members {
        package let profiles = Member<[String]>("profiles", "Those that were logged in.")
    }

    package final class Login: Members {
        package let profile = Member<String>("profile", "The profile that has the token, which others may extend.")
        package let source = Member<String>("source", "Where the token comes from, in words.")
        package let age = Member<Int?>("age", "Seconds since it was fetched; null where there is none.", min: 0)
        package let expiresIn = Member<Int?>("expiresIn", "Seconds; null where nothing says when it ends.", min: 0)
        package let loggedOut = Member<Bool>("loggedOut", "Nothing is put in until the next login.")
        package let problem = Member<String?>("problem", "Why the last fetch has failed.")
    }
}
