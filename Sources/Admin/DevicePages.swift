public import Engine
import JSON
import Profiles
import Reactor

/// What happened to a device, for somebody to tell.
public enum DeviceEvent: Sendable {
    case paired(Device)
    /// It has another profile, or goes with the active one.
    case assigned(Device)
    case forgotten(name: String)
}

/// Answers what lies under `/__shunt/` on every host: who answers this client, and the buttons that change it.
///
/// It has no power but over the device that asks; the admin interface is elsewhere.
public final class DevicePages: Handler {
    private let devices: Devices
    private let locks: Locks
    private let didChange: @Sendable (DeviceEvent) -> Void

    public init(devices: Devices, locks: Locks, didChange: @escaping @Sendable (DeviceEvent) -> Void = { _ in }) {
        self.devices = devices
        self.locks = locks
        self.didChange = didChange
    }

    public func answer(_ request: HandledRequest) async -> HandledAnswer {
        let path = request.target.prefix { $0 != "?" }
        do throws(PageRefusal) {
            try PageGate.admit(request)
            switch (request.method, path) {
            case ("GET", "/__shunt"), ("HEAD", "/__shunt"): return Self.moved
            case ("GET", "/__shunt/"), ("HEAD", "/__shunt/"): return page(request).answer(200)
            case ("GET", "/__shunt/status.json"), ("HEAD", "/__shunt/status.json"): return status(request)
            case ("GET", "/__shunt/pair"), ("HEAD", "/__shunt/pair"):
                // Changes nothing: whatever shows a preview of a link fetches it, too.
                return page(request).confirmation(of: FormContent(target: request.target)["code"] ?? "")
            case ("POST", "/__shunt/pair"): return try pair(request)
            case ("POST", "/__shunt/use"): return try use(request)
            case ("POST", "/__shunt/forget"): return try forget(request)
            case (_, "/__shunt"), (_, "/__shunt/"), (_, "/__shunt/status.json"): throw Self.notAllowed("GET, HEAD")
            case (_, "/__shunt/pair"): throw Self.notAllowed("GET, HEAD, POST")
            case (_, "/__shunt/use"), (_, "/__shunt/forget"): throw Self.notAllowed("POST")
            default: throw PageRefusal(404, "Shunt has no such page; /__shunt/ says who answers.")
            }
        } catch {
            return page(request).refusal(error)
        }
    }

    private static func notAllowed(_ methods: String) -> PageRefusal {
        PageRefusal(405, "This is asked for with \(methods).", fields: [("Allow", methods)])
    }

    private func page(_ request: HandledRequest) -> DevicePage {
        let choice = request.choice
        return DevicePage(
            choice: choice, device: device(request), client: request.client?.unmapped.host ?? "",
            unlocked: Set((choice?.library.profiles ?? []).map(\.name).filter { locks.isUnlocked($0) }))
    }

    private func status(_ request: HandledRequest) -> HandledAnswer {
        .json(200) { object in
            object.member("profile", request.choice?.profile)
            object.member("source", request.choice?.source.rawValue)
            object.member("active", request.choice?.active)
            object.member("device", device(request)?.name)
            object.member("client", request.client?.unmapped.host)
        }
    }

    private func pair(_ request: HandledRequest) throws(PageRefusal) -> HandledAnswer {
        try PageGate.admitChange(request)
        guard let client = request.client else { throw PageRefusal(403, "The client's address is not known.") }
        do throws(PairingFailure) {
            let (device, token) = try devices.pair(
                code: FormContent(request.body)["code"] ?? "", from: client,
                userAgent: request.field("User-Agent") ?? "", replacing: Self.token(of: request))
            didChange(.paired(device))
            return Self.seeOther(cookie: Self.cookie(token, age: 31_536_000, isSecure: request.isSecure))
        } catch {
            throw PageRefusal(403, Self.text(error))
        }
    }

    private static func text(_ failure: PairingFailure) -> String {
        switch failure {
        case .foreign: "Devices are paired from this machine and from private networks only."
        case .wrongCode: "That code is not valid, or not any more: `shunt pair` shows a new one."
        case .allVoid: "That was one wrong code too many, so none is valid any more: `shunt pair` shows a new one."
        }
    }

    private func use(_ request: HandledRequest) throws(PageRefusal) -> HandledAnswer {
        try PageGate.admitChange(request)
        let device = try paired(request)
        let form = FormContent(request.body)
        let wanted = form["active"] == nil ? form["profile"] ?? "" : nil
        if let wanted, request.choice?.library[wanted] == nil {
            throw PageRefusal(404, "There is no profile “\(wanted)” any more.")
        }
        // A phone that came back to the network under another address is followed there.
        if let changed = devices.assign(wanted, to: device.name, at: request.client) { didChange(.assigned(changed)) }
        return Self.seeOther(cookie: nil)
    }

    private func forget(_ request: HandledRequest) throws(PageRefusal) -> HandledAnswer {
        try PageGate.admitChange(request)
        let device = try paired(request)
        if devices.forget(device.name) { didChange(.forgotten(name: device.name)) }
        return Self.seeOther(cookie: Self.cookie("", age: 0, isSecure: request.isSecure))
    }

    /// The device whose token the client shows: an address alone must not be enough to change something.
    private func paired(_ request: HandledRequest) throws(PageRefusal) -> Device {
        guard let device = device(request) else { throw PageRefusal(403, "This device is not paired.") }
        return device
    }

    private func device(_ request: HandledRequest) -> Device? {
        Self.token(of: request).flatMap { devices.device(token: $0) }
    }

    private static func token(of request: HandledRequest) -> TokenDigest? {
        for field in request.fields where field.name.lowercased() == "cookie" {
            let value = ContiguousArray(field.value.utf8)
            if let range = DeviceToken.range(inCookie: value.span) {
                return TokenDigest(of: value.span.extracting(range))
            }
        }
        return nil
    }

    private static func cookie(_ token: String, age: Int, isSecure: Bool) -> String {
        "\(DeviceToken.cookie)=\(token); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// After a change: the page, asked for anew.
    private static func seeOther(cookie: String?) -> HandledAnswer {
        let fields = [(name: "Location", value: "/__shunt/"), (name: "Cache-Control", value: "no-store")]
        return HandledAnswer(status: 303, fields: fields + (cookie.map { [("Set-Cookie", $0)] } ?? []), body: [])
    }

    private static var moved: HandledAnswer {
        HandledAnswer(
            status: 307, fields: [("Location", "/__shunt/"), ("Cache-Control", "no-store")], body: [])
    }
}
