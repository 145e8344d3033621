import Admin
import JSON
import Platform
import Profiles
import Reactor
import Store

/// What `serve` says once everything listens.
struct StartMessage {
    let started: Started
    let library: ProfileLibrary
    let certificates: ServerCertificates
    let project: Project
    let isDemo: Bool
    /// Where what passes is kept; nil where it is not.
    let store: String?
    let keepsSecrets: Bool
    /// Where spans are sent; nil for nowhere.
    let spans: String?

    func show(_ announcer: Announcer) {
        announcer.block(.started, text(announcer)) { object in
            object.members([
                "version": started.facts.version, "pid": started.facts.pid, "host": started.host, "port": started.port,
                "urls": started.facts.urls, "network": started.networkHosts, "pages": started.facts.pageURLs,
                "admin": "http://" + started.admin, "profile": started.profile,
                "profiles": library.profiles.map(\.name), "profilesDirectory": project.watchedDirectory, "store": store,
                "keyLog": started.facts.keyLog,
            ])
            if store != nil { object.member("keepsSecrets", keepsSecrets) }
            if let spans { object.member("spans", spans) }
            object.members(["overrides": library.overrides.map(\.file), "set": library.settings?.texts ?? []])
            object.object("certificates") { object in
                switch certificates.source {
                case .development(let folder, let isNew):
                    object.members(["authority": folder.certificate, "created": isNew])
                case .own(let file): object.member("own", file)
                }
            }
            object.array("exceptions") { array in
                for exception in library.exceptions { exception.write(to: &array) }
            }
        }
    }

    private func text(_ announcer: Announcer) -> String {
        var lines = [
            announcer.painted("shunt \(started.facts.version)", code: 1) + " listens on "
                + started.facts.urls.joined(separator: " and ")
        ]
        lines += reachLines(announcer)
        let others = library.profiles.map(\.name).filter { $0 != started.profile }
        let also = others.isEmpty ? "" : ", also \(others.joined(separator: ", "))"
        // The copied line must not make production active.
        let suggestion = others.first { library[$0]?.kind != .production } ?? others.first ?? ""
        let switching = others.isEmpty || isDemo ? "" : " (switch with `shunt use \(suggestion)`)"
        lines.append("  profile   " + announcer.painted(started.profile, code: 36) + also + switching)
        if project.origins != nil, let url = started.facts.urls.first {
            let plain = started.facts.urls.last.map { ", or to \($0), which needs no certificate" } ?? ""
            lines.append("  app       set its base URL to \(url)\(plain)")
        }
        let place = project.watchedDirectory.map { Path.short($0) } ?? "of --origin, in no file"
        lines.append("  profiles  " + place + library.withText)
        lines += certificateLines
        if let store {
            let secrets = keepsSecrets ? announcer.painted("secrets are NOT replaced", code: 31) : "secrets replaced"
            let sealed = SealedStores.isSealed(store) ? ", sealed" : ""
            lines.append("  traffic   \(Path.short(store))\(sealed), \(secrets)")
        }
        if let spans { lines.append("  spans     \(spans)") }
        if let pages = started.facts.pageURLs.last { lines.append("  devices   \(pages)/") }
        let inspecting = started.facts.inspector == nil ? "" : " (`shunt inspect` opens the inspector there)"
        lines.append("  admin     http://\(started.admin)\(inspecting)")
        if let keyLog = started.facts.keyLog {
            lines.append(
                announcer.painted(
                    "  INSECURE: the keys of all TLS connections are written to \(Path.short(keyLog))", code: 31))
        }
        if !library.exceptions.isEmpty {
            lines.append(announcer.painted("  INSECURE: certificates are NOT checked for", code: 31))
            lines += library.exceptions.map { announcer.painted("    \($0.exceptionText)", code: 31) }
        }
        return lines.joined(separator: "\n")
    }

    /// Where other machines find it, and what they may do; nothing for loopback.
    private func reachLines(_ announcer: Announcer) -> [String] {
        guard !started.networkHosts.isEmpty else { return [] }
        let urls = started.networkHosts.flatMap { host in
            ListenAddress.urls([host], port: started.port)
        }
        return [
            "  network   " + urls.joined(separator: " and "),
            announcer.painted("            every machine that reaches these can use every profile", code: 33),
        ]
    }

    private var certificateLines: [String] {
        switch certificates.source {
        case .own(let file): return ["  certs     \(Path.short(file))"]
        case .development(let folder, let isNew):
            let made = isNew && !isDemo ? ", made just now" : ""
            let trust = isDemo ? "" : " (trusted after `\(folder.trustCommand)`)"
            return ["  certs     \(Path.short(folder.certificate))\(made) signs what apps see\(trust)"]
        }
    }
}
