import Bytes
import Engine
import Profiles
import Reactor

/// The page that shows a client its profile, as HTML without scripts.
struct DevicePage {
    let choice: ProfileChoice?
    /// The device whose token the client shows.
    let device: Device?
    /// The key that its forms must contain.
    let formKey: String
    /// The client's address.
    let client: String
    /// The profiles that are unlocked.
    let unlocked: Set<String>
    /// Whether `/ca` leads to the development CA.
    let hasAuthority: Bool

    func response(_ status: Int) -> HandledResponse {
        let profile = choice?.profile ?? "Shunt"
        let why = choice.map { "<p>responds to this device, because \(reason($0)).</p>" } ?? ""
        return Self.html(
            status, title: choice == nil ? "Shunt" : "\(profile) responds",
            "<h1>\(HTMLText.escaped(profile))</h1>\(why)\(device.map(controls) ?? Self.codeForm)\(authorityLink)")
    }

    /// Asks whether to pair, since following a link must change nothing.
    func confirmation(of code: String) -> HandledResponse {
        guard !code.isEmpty else {
            return Self.html(200, title: "Pair this device", "<h1>Pair this device</h1>" + Self.codeForm)
        }
        return Self.html(
            200, title: "Pair this device",
            """
            <h1>Pair this device?</h1>
            <p>It can then choose which environment responds to it.</p>
            <form method="post" action="/pair">\
            <input type="hidden" name="code" value="\(HTMLText.escaped(code))">\
            <button class="go">Pair</button></form>
            """)
    }

    func refusal(_ refusal: PageRefusal) -> HandledResponse {
        let link = refusal.isElsewhere ? "" : "<p><a href=\"/\">Who responds?</a></p>"
        return Self.html(
            refusal.status, title: "Not done", "<h1>Not done</h1><p>\(HTMLText.escaped(refusal.message))</p>\(link)",
            fields: refusal.fields)
    }

    private var authorityLink: String { hasAuthority ? "<p><a href=\"/ca\">Let this device trust Shunt</a></p>" : "" }

    private func reason(_ choice: ProfileChoice) -> String {
        switch choice.source {
        case .header: "the request says so in its field <code>Shunt-Profile</code>"
        case .token: "that was chosen for it, under the name <b>\(HTMLText.escaped(device?.name ?? ""))</b>"
        case .address: "that was chosen for its address, <code>\(HTMLText.escaped(client))</code>"
        case .hostLabel: "the host’s name says so"
        case .session: "the request belongs to a session over it"
        case .app: "your program has a profile of its own"
        case .user: "you have chosen it for all of your devices"
        case .active: "it is the active profile"
        }
    }

    private func controls(_ device: Device) -> String {
        var html = "<form method=\"post\" action=\"/use\">\(key)"
        for profile in choice?.library.profiles ?? [] {
            let isChosen = profile.name == device.profile
            html += "<button name=\"profile\" value=\"\(HTMLText.escaped(profile.name))\""
            html += reachesProduction(profile) ? " class=\"production\"" : ""
            html += (isChosen ? " aria-current=\"true\"" : "") + ">\(HTMLText.escaped(profile.name))"
            html += "<small>\(HTMLText.escaped(kind(of: profile)))\(isChosen ? ", chosen" : "")</small></button>"
        }
        let isFollowing = device.profile == nil
        html += "<button name=\"active\" value=\"1\"" + (isFollowing ? " aria-current=\"true\"" : "") + ">"
        html += "Go with the active one<small>\(HTMLText.escaped(choice?.active ?? ""))\(isFollowing ? ", chosen" : "")"
        html += "</small></button></form>"
        if let address = device.address, address.host != client {
            html += "<p>This device was known by another address, so its apps are not followed at the moment. "
            html += "Choose once more to put that right.</p>"
        }
        return html + "<form method=\"post\" action=\"/forget\">\(key)<button>Forget this device"
            + "<small>\(HTMLText.escaped(device.name))</small></button></form>"
    }

    private var key: String { "<input type=\"hidden\" name=\"key\" value=\"\(formKey)\">" }

    /// A profile's kind, and the origins that are read-only for it, by the rule of the guard.
    private func kind(of profile: Profile) -> String {
        let reached = choice?.library.productionProfiles(reachedBy: profile) ?? []
        if profile.kind == .production {
            let isUnlocked = unlocked.isSuperset(of: reached) && unlocked.contains(profile.name)
            return isUnlocked ? "production, unlocked" : "production, read-only"
        }
        guard !reached.isEmpty else { return profile.kind.rawValue }
        let names = reached.joined(separator: " and ")
        return "\(profile.kind.rawValue), "
            + (unlocked.isSuperset(of: reached) ? "\(names) unlocked" : "read-only where it asks \(names)")
    }

    private func reachesProduction(_ profile: Profile) -> Bool {
        profile.kind == .production || choice?.library.productionProfiles(reachedBy: profile).isEmpty == false
    }

    private static let codeForm = """
        <form method="post" action="/pair">
        <label for="code">To let this device choose, type the code that <code>shunt pair</code> shows:</label>
        <input id="code" name="code" maxlength="16" required autocomplete="off" autocapitalize="characters" \
        spellcheck="false">
        <button class="go">Pair</button></form>
        """

    /// - Parameter images: an origin whose pictures the page may show.
    static func html(
        _ status: Int, title: String, _ main: String, fields: [(name: String, value: String)] = [],
        images: String? = nil
    ) -> HandledResponse {
        let text = PageStyle.page(title: title, main, more: style)
        let common = [
            (name: "Content-Type", value: "text/html; charset=utf-8"), (name: "Cache-Control", value: "no-store"),
            (name: "X-Content-Type-Options", value: "nosniff"), (name: "X-Frame-Options", value: "DENY"),
            // Pages that opened this one in a window, or load it as a picture, cannot read it.
            (name: "Cross-Origin-Opener-Policy", value: "same-origin"),
            (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
            // Not `no-referrer`: browsers would send the buttons' requests with `Origin: null`.
            (name: "Referrer-Policy", value: "same-origin"),
            (
                name: "Content-Security-Policy",
                value: "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
                    + (images.map { "; img-src \($0)" } ?? "")
            ),
        ]
        return HandledResponse(status: status, fields: common + fields, body: Array(text.utf8))
    }

    /// For a second the buttons take no clicks: the second one of a double click that another page asked for.
    private static let style = """
        main{max-width:28em}h1{font-size:28px;line-height:1.2}\
        button,input{font:inherit;color:inherit;width:100%;padding:.7em .9em;margin:.35em 0;\
        border:1px solid var(--line);border-radius:6px;background:var(--back);text-align:left}\
        button small{display:block}button[aria-current]{border-color:var(--accent);background:var(--chosen)}\
        .production small{color:var(--pX)}.go{background:var(--accent);color:var(--back);text-align:center}\
        input{font-size:1.3em;letter-spacing:.15em;text-transform:uppercase}\
        form{margin:1.5em 0;animation:wait 1s}@keyframes wait{from,to{pointer-events:none}}
        """
}
