extension ClientKit {
    static let node = ClientKit(name: "node", summary: "Node.js: https, fetch and what is built on them") { facts in
        [
            ClientFile(
                path: "shunt-trust.cjs",
                text: """
                    // Made by `shunt client-kit`. node --require ./shunt-trust.cjs app.js
                    // The CA is a file of this machine: where it is not, as on a server, nothing is changed.
                    const fs = require('node:fs');
                    const tls = require('node:tls');

                    const file = process.env.SHUNT_CA ?? \(ClientFacts.quoted(facts.file));

                    if (process.env.NODE_ENV !== 'production' && fs.existsSync(file)) {
                      const certificate = fs.readFileSync(file, 'utf8');
                      const createSecureContext = tls.createSecureContext;
                      // Node's own roots stay: `ca` as an option would replace them.
                      tls.createSecureContext = (options) => {
                        const made = createSecureContext(options);
                        made.context.addCACert(certificate);
                        return made;
                      };
                    }

                    """)
        ]
    }
}
