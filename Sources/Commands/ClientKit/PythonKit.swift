extension ClientKit {
    static let python = ClientKit(name: "python", summary: "Python: urllib, http.client, httpx, aiohttp, requests") {
        facts in
        [
            ClientFile(
                path: "shunt_trust.py",
                text: """
                    # Made by `shunt client-kit`.
                    #   urllib.request.urlopen(url, context=shunt_trust.context())
                    #   httpx.Client(verify=shunt_trust.context()), aiohttp.TCPConnector(ssl=shunt_trust.context())
                    #   session = requests.Session(); session.mount("https://", shunt_trust.adapter())
                    # The CA is a file of this machine: where it is not, as on a server, nothing is changed.
                    import os
                    import ssl

                    FILE = os.environ.get("SHUNT_CA", \(ClientFacts.quoted(facts.file)))


                    def context():
                        \"\"\"Trusts Shunt's development CA beside the usual roots.\"\"\"
                        made = ssl.create_default_context()
                        if __debug__ and os.path.exists(FILE):
                            made.load_verify_locations(cafile=FILE)
                        return made


                    def adapter():
                        \"\"\"The same for requests.\"\"\"
                        from requests.adapters import HTTPAdapter

                        class Adapter(HTTPAdapter):
                            def init_poolmanager(self, *arguments, **options):
                                super().init_poolmanager(*arguments, ssl_context=context(), **options)

                            def cert_verify(self, connection, url, verify, cert):
                                # The roots of the context count, and not the file that requests would load.
                                connection.cert_reqs = "CERT_REQUIRED"

                        return Adapter()

                    """)
        ]
    }
}
