extension TrustAction {
    static let status = TrustAction(name: "status") { arguments in
        try TrustCommand.run(.status, arguments)
    }
}
