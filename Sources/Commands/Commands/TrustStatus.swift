extension TrustAction {
    static let status = TrustAction(name: "status") { (arguments) async throws(CommandFailure) in
        try TrustCommand.run(.status, arguments)
    }
}
