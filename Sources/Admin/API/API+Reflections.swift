// Servers that are asked for the schemas of their calls.
extension API {
    package final class Reflection: Members {
        package let origin = Member<String>("origin", "Its URL.")
        package let profile = Member<String>("profile", "The profile as whose route it is asked.")
        package let services = Member<Int?>(
            "services", "The number of its services; null before it has described itself.", min: 0)
        package let methods = Member<Int?>("methods", "The number of their methods.", min: 0)
        package let problem = Member<String?>("problem", "Why it was not described when it was asked last.")
        package let advice = Member<String?>("advice", "What to do about it.")
    }
}
