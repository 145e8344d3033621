extension TrustAction {
    /// The CAs that were replaced go with the present one.
    static let uninstall = TrustAction(name: "uninstall") { (arguments) async throws(CommandFailure) in
        try TrustCommand.run(.uninstall, arguments)
    }
}
