import Profiles

/// `--network`, which several commands have.
enum NetworkOption {
    /// - Parameter users: those that have the network.
    static func option(_ users: String) -> Option {
        .value(
            "network", "NAME",
            "What the network of \(users) is like: "
                + "\(UnknownNetwork.names.joined(separator: ", ")).")
    }

    static func read(_ arguments: Arguments) throws(UsageError) -> NetworkConditions? {
        guard let name = arguments.text("network") else { return nil }
        do throws(UnknownNetwork) {
            return try UnknownNetwork.find(name)
        } catch {
            throw UsageError("--network “\(name)” is not known", advice: error.advice)
        }
    }
}
