import Admin
import Exchanges
import Platform

/// Sends the demo's requests and says what came of them, and what to try next.
struct DemoReport {
    let server: Server
    let folder: DemoFolder
    let origins: [DemoOrigin]

    private var url: String { server.started.facts.urls.first ?? "" }

    /// One request through each profile; false when one of them failed.
    func sendAndTell(_ observer: DemoObserver) async -> Bool {
        let client = DemoClient(port: server.started.port, authority: folder.authority)
        var text = "\nOrigins, each with TLS of its own:\n"
        for origin in origins { text += "  \(padded(origin.name))https://127.0.0.1:\(origin.port)\n" }
        text += "\nOne request through each profile, GET \(url)\(DemoCommand.path):\n"
        Terminal.out(text)
        var isFine = true
        for profile in DemoCommand.profiles {
            do throws(DemoClient.Failure) {
                let response = try client.get(DemoCommand.path, profile: profile)
                let exchange = observer.exchange(of: profile)
                isFine = isFine && response.status == 200 && response.body.contains("from \(profile)")
                Terminal.out(lines(profile, response, exchange))
            } catch {
                isFine = false
                Terminal.out("  \(padded(profile))FAILED: \(error.message)\n")
            }
        }
        return isFine
    }

    private func lines(_ profile: String, _ response: DemoClient.Response, _ exchange: Exchange?) -> String {
        let body = response.body.split(separator: "\n").first ?? ""
        var text = "  \(padded(profile))\(response.status) \(body)\n"
        text += "  \(padded(""))Shunt-Answered-By: \(response.answeredBy)\n"
        if let origin = exchange?.origin {
            text += "  \(padded(""))certificate of \(origin.url): "
            text += "trust \(origin.trust ?? "none"), \(origin.trustDecision ?? "not seen")\n"
        }
        return text
    }

    func tellWhatToTry() {
        let shunt = Tool.invocation
        let profiles = "--profiles \(Path.quoted(folder.project.profilesDirectory))"
        let curl = "curl --cacert \(Path.quoted(folder.authority)) "
        Terminal.out(
            """

            Try it from another terminal:
              \(curl)\(url)\(DemoCommand.path)
              \(shunt) use staging \(profiles)
              \(curl)\(url)\(DemoCommand.path)
              \(curl)-H 'Shunt-Profile: production' \(url)\(DemoCommand.path)
              \(curl)-H 'Shunt-Profile: production' -d size=42 \(url)\(DemoCommand.path)    # 403: read-only
              \(shunt) inspect \(profiles)
              \(shunt) logs \(profiles)
              \(shunt) status \(profiles)
              \(shunt) explain \(url)/v1/promo --profile local \(profiles)
            Edit \(folder.project.profilesDirectory)/local.json: what you save counts at once.
            Ctrl-C ends the demo. The log of exchanges follows.


            """)
    }

    private func padded(_ text: String) -> String { text + String(repeating: " ", count: max(1, 12 - text.count)) }
}
