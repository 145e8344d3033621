extension ClientKit {
    static let curl = ClientKit(name: "curl", summary: "curl, as a file for -K") { facts in
        // A name that Shunt shall get is asked of the address that Shunt listens on.
        let names = facts.routedHosts.map {
            "connect-to = \(ClientFacts.quoted("\($0):443:localhost:\(facts.port)"))\n"
        }.joined()
        return [
            ClientFile(
                path: "shunt.curlrc",
                text: """
                    # Made by `shunt client-kit`. curl -K shunt.curlrc \(facts.url)/
                    cacert = \(ClientFacts.quoted(facts.file))
                    noproxy = "*"
                    \(names)
                    """)
        ]
    }
}
