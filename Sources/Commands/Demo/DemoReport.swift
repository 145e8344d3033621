import Admin
import Engine
import Inspection
import Platform
import Profiles

/// Sends the demo's requests and says what came of them, and what to try next.
struct DemoReport {
    let server: Server
    let folder: DemoFolder
    let origins: [DemoOrigin]

    private var url: String { server.started.facts.urls.first ?? "" }

    /// One request through each profile; false when one of them failed.
    func sendAndTell() async -> Bool {
        let results = await server.proxy.probe()
        var text = "\nOrigins, each with TLS of its own:\n"
        for origin in origins { text += "  \(padded(origin.name))https://127.0.0.1:\(origin.port)\n" }
        text += "\nOne request through each profile, GET \(url)\(DemoCommand.path):\n"
        Terminal.out(text)
        var isFine = true
        for origin in origins {
            let client = ReplayClient(port: server.started.port, profile: origin.name, authority: folder.authority)
            do throws(ReplayFailure) {
                let response = try client.send(
                    RecordedRequest(
                        method: "GET", host: "localhost:\(server.started.port)", target: DemoCommand.path,
                        fields: [HeadText.Field("Accept", "application/json")]))
                let body = String(decoding: response.body, as: UTF8.self)
                isFine = isFine && response.status == 200 && body.contains("from \(origin.name)")
                let seen = results.first { $0.origin.port == origin.port }
                Terminal.out(lines(origin.name, response, body, seen))
            } catch {
                isFine = false
                Terminal.out("  \(padded(origin.name))FAILED: \(error.message)\n")
            }
        }
        return isFine
    }

    private func lines(_ profile: String, _ response: ReplayedResponse, _ body: String, _ seen: ProbeResult?) -> String
    {
        let by = HeadText(response.head).value(of: "Shunt-Answered-By") ?? ""
        var text = "  \(padded(profile))\(response.status) \(body.split(separator: "\n").first ?? "")\n"
        text += "  \(padded(""))Shunt-Answered-By: \(by)\n"
        if let seen {
            text += "  \(padded(""))certificate of \(seen.origin): "
            text += "trust \(seen.origin.trust.name), \(seen.decision ?? "not seen")\n"
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
