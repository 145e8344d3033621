extension TrustAction {
    static let install = TrustAction(name: "install") { arguments in
        guard !arguments.has("old") else {
            throw UsageError("--old is for uninstall and status", advice: "The present CA is installed.")
        }
        return try TrustCommand.run(.install, arguments)
    }
}
