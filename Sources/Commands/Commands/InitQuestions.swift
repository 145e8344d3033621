import Platform
import Profiles

/// What `shunt init` asks on a terminal before it writes anything.
struct InitQuestions {
    private static let questions = [
        ("local", "URL of the server on this machine, such as https://localhost:3000"),
        ("staging", "URL of staging, such as https://api.staging.shop.example"),
        ("production", "URL of production"),
    ]

    /// nil where options say what is to be written, no person can reply, or profiles are there already.
    init?(_ arguments: Arguments, _ project: Project) {
        let isSaid = ["local", "staging", "production", "host", "json"].contains { arguments.has($0) }
        let names = (try? Files.names(in: project.profilesDirectory)) ?? []
        let hasProfiles = names.contains { $0.hasSuffix(".json") || $0.hasSuffix(".json5") }
        guard !isSaid, !hasProfiles, Terminal.isTerminal(0), Terminal.isTerminal(2) else { return nil }
    }

    /// The profiles that were named; none if no URL was given.
    func ask() throws -> OriginProfiles {
        Terminal.error("Enter leaves one out; Ctrl-C ends without writing anything.\n")
        var urls: [(name: String, url: String)] = []
        for (name, question) in Self.questions {
            let url = try reply(question) { (text) throws(Refusal) in
                var check = OriginProfiles()
                try check.add(text, profile: name, host: nil)
            }
            if let url { urls.append((name, url)) }
        }
        guard let first = urls.first else {
            Terminal.error("No URL: this is an example to change.\n")
            return OriginProfiles()
        }
        let host = try reply("Host that apps ask for, such as api.shop.test (Enter: every host)") {
            (text) throws(Refusal) in
            var check = OriginProfiles()
            try check.add(first.url, profile: first.name, host: text)
        }
        var origins = OriginProfiles()
        for (name, url) in urls {
            try origins.add(url, profile: name, host: host)
        }
        return origins
    }

    /// Asks until the reply is possible; nil for an empty line.
    private func reply(_ question: String, _ check: (String) throws(Refusal) -> Void) throws -> String? {
        while true {
            Terminal.error(question + ": ")
            guard let line = readLine() else {
                Terminal.error("\n")
                throw CommandFailure(
                    "the input ended; nothing was written",
                    advice: "Give URLs as options: shunt init --local URL --staging URL.")
            }
            let text = String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            if text.isEmpty { return nil }
            do throws(Refusal) {
                try check(text)
                return text
            } catch {
                Terminal.complain(error.message, advice: error.advice)
            }
        }
    }
}
