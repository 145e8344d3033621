extension TrustAction {
    /// The CAs that were replaced go with the present one.
    static let uninstall = TrustAction(name: "uninstall") { arguments in
        try TrustCommand.run(.uninstall, arguments)
    }
}
