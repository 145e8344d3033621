import Admin
import Platform
import TLS

/// The demo's project in a temporary folder: three profiles that people may edit while it runs.
struct DemoFolder: Sendable {
    /// Absolute.
    let path: String

    var project: Project { Project(profilesDirectory: path + "/Profiles") }
    var authority: String { project.certificatesDirectory + "/ca.pem" }

    /// Makes an empty one that only this user can enter.
    init() throws(FileFailure) { path = try Files.makeTemporaryDirectory(named: "shunt-demo") }

    /// Writes the profiles: staging and production are judged by `default` with the demo CA, local is not judged.
    func write(staging: UInt16, production: UInt16, local: UInt16, authorityPEM: String) throws(FileFailure) {
        try Files.makeDirectory(project.profilesDirectory)
        try write("demo-origins-ca.pem", authorityPEM)
        for (name, port) in [("staging", staging), ("production", production)] {
            try write(
                "Profiles/\(name).json",
                """
                {
                  // What the guards go by: certificate checks cannot be disabled in production.
                  "kind": "\(name)",
                  "routes": [
                    { "path": "/*", "origin": "https://localhost:\(port)" },
                  ],
                  // Chain and host name are verified; the CA of the demo's origins is trusted for this host alone.
                  "trust": {
                    "localhost": { "policy": "default", "certificateAuthorities": ["../demo-origins-ca.pem"] },
                  },
                }

                """)
        }
        try write(
            "Profiles/local.json",
            """
            {
              // Everything is staging's, except for what is being worked on.
              "extends": "staging",
              "kind": "local",
              "routes": [
                { "path": "/v1/cart/*", "origin": "https://127.0.0.1:\(local)" },
                { "path": "/v1/promo", "mock": { "status": 200, "json": { "banner": null } } },
              ],
              // The server on this machine has a self-signed certificate.
              "trust": { "127.0.0.1": "disabled" },
            }

            """)
    }

    private func write(_ name: String, _ text: String) throws(FileFailure) {
        try Files.write(Array(text.utf8), to: path + "/" + name, mode: 0o644)
    }

    /// Takes everything away again.
    func remove() { Files.remove(path) }
}
