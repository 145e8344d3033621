extension ClientKit {
    static let docker = ClientKit(name: "docker", summary: "Docker Compose, as a file that is named by hand") { facts in
        let hosts = ["host.docker.internal"] + facts.routedHosts
        let lines = hosts.map { "- " + ClientFacts.quoted($0 + ":host-gateway") }
        return [
            ClientFile(
                path: "compose.shunt.yaml",
                text: """
                    # Made by `shunt client-kit`. docker compose -f compose.yaml -f compose.shunt.yaml up
                    # Compose reads it only where it is named, so that no deployment has it. Put your service's name for `app`;
                    # Shunt has to listen for the containers: shunt serve --host 0.0.0.0
                    services:
                      app:
                        extra_hosts:
                    \(ClientKits.indented(lines, by: 6))
                        volumes:
                          - \(ClientFacts.quoted(facts.file + ":/run/shunt/ca.pem:ro"))
                        environment:
                          SHUNT_URL: "https://host.docker.internal:\(facts.port)"
                          SHUNT_CA: /run/shunt/ca.pem
                          NODE_EXTRA_CA_CERTS: /run/shunt/ca.pem

                    """)
        ]
    }
}
