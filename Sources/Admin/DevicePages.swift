public import Cluster
public import Engine
import JSON
import Profiles
import Reactor
import Synchronization
public import TLS

/// A change of a device, for the log.
public enum DeviceEvent: Sendable {
    case paired(Device)
    /// It has another profile, or follows the active one.
    case assigned(Device)
    case forgotten(name: String)
    /// A program of this machine has another profile; with nil that of other clients.
    case app(name: String, profile: String?)
}

/// The pages that show a client its profile, with buttons that change it.
///
/// They change only the device of the request; the admin interface is separate. They refuse all requests until
/// ``listens(on:)`` told them the port that requests must name.
public final class DevicePages: Handler {
    private let devices: Devices
    private let cluster: ClusterMember?
    private let locks: Locks
    private let choose: @Sendable (HandledRequest) -> ProfileChoice?
    private let didChange: @Sendable (DeviceEvent) -> Void
    private let onboarding: OnboardingPages?
    private let port = Mutex<UInt16?>(nil)

    /// - Parameters:
    ///   - authority: the CA that devices can come to trust here.
    ///   - cluster: the cluster whose nodes share these devices; nil where this Shunt alone has them.
    ///   - choose: finds the profile for the client of a request.
    public init(
        devices: Devices, locks: Locks, authority: DevelopmentCA? = nil, cluster: ClusterMember? = nil,
        choose: @escaping @Sendable (HandledRequest) -> ProfileChoice?,
        didChange: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        (self.devices, self.cluster, self.locks) = (devices, cluster, locks)
        onboarding = authority.map { OnboardingPages(authority: $0) }
        (self.choose, self.didChange) = (choose, didChange)
    }

    /// The port is known only once the listener is there.
    public func listens(on port: UInt16) { self.port.withLock { $0 = port } }

    public func response(_ request: HandledRequest) async -> HandledResponse {
        let path = request.target.prefix { $0 != "?" }
        do throws(PageRefusal) {
            guard let port = port.withLock({ $0 }) else { throw PageRefusal(503, "Shunt is starting.") }
            try PageGate(port: port).admit(request)
            if let choice = choose(request) {
                try PageGate.admitHost(of: request, choice.library)
                if let refusal = choice.refusal {
                    throw PageRefusal(refusal.status, "\(refusal.message). \(refusal.advice ?? "")")
                }
            }
            switch (request.method, path) {
            case ("GET", "/"), ("HEAD", "/"): return page(request).response(200)
            case ("GET", "/status.json"), ("HEAD", "/status.json"): return status(request)
            case ("GET", "/pair"), ("HEAD", "/pair"):
                // Changes nothing, since previews of links fetch it, too.
                return page(request).confirmation(of: FormBody(target: request.target)["code"] ?? "")
            case ("POST", "/pair"): return try await pair(request)
            case ("POST", "/use"): return try await use(request)
            case ("POST", "/forget"): return try await forget(request)
            case (_, "/"), (_, "/status.json"): throw Self.notAllowed("GET, HEAD")
            case (_, "/pair"): throw Self.notAllowed("GET, HEAD, POST")
            case (_, "/use"), (_, "/forget"): throw Self.notAllowed("POST")
            default:
                guard let response = onboarding?.response(request, path) else {
                    throw PageRefusal(404, "Shunt has no such page.")
                }
                guard request.method == "GET" || request.method == "HEAD" else { throw Self.notAllowed("GET, HEAD") }
                return response
            }
        } catch {
            return page(request).refusal(error)
        }
    }

    private static func notAllowed(_ methods: String) -> PageRefusal {
        PageRefusal(405, "Method not allowed; use \(methods).", fields: [("Allow", methods)])
    }

    private func page(_ request: HandledRequest) -> DevicePage {
        let choice = choose(request)
        let shown = shown(request).first
        return DevicePage(
            choice: choice, device: shown?.device, formKey: shown?.formKey ?? "",
            client: request.client?.unmapped.host ?? "",
            unlocked: Set((choice?.library.profiles ?? []).map(\.name).filter { locks.isUnlocked($0) }),
            hasAuthority: onboarding != nil)
    }

    private func status(_ request: HandledRequest) -> HandledResponse {
        let choice = choose(request)
        return .json(200) { object in
            object.members([
                "profile": choice?.profile, "source": choice?.source.rawValue, "active": choice?.active,
                "device": shown(request).first?.device.name, "client": request.client?.unmapped.host,
            ])
        }
    }

    /// Changes the devices, on all nodes where there are several.
    private func change<R: Sendable>(_ body: @escaping @Sendable (Devices) -> R) async throws(PageRefusal) -> R {
        guard let cluster else { return body(devices) }
        let made = Mutex<R?>(nil)
        do throws(ClusterRefusal) {
            _ = try await cluster.changeDevices { devices in
                let value = body(devices)
                made.withLock { $0 = value }
            }
        } catch {
            // Why is for the log: any client of the network reads this.
            throw PageRefusal(503, "Nothing was changed: the database of the cluster is away, or refused it.")
        }
        guard let value = made.withLock({ $0 }) else { throw PageRefusal(503, "Nothing was changed.") }
        return value
    }

    private func pair(_ request: HandledRequest) async throws(PageRefusal) -> HandledResponse {
        try PageGate.admitChange(request)
        guard let client = request.client else { throw PageRefusal(403, "The client's address is not known.") }
        let admission = try redeem(FormBody(request.body)["code"] ?? "", client)
        let (userAgent, old) = (request.field("User-Agent") ?? "", shown(request).first?.device.token)
        let device: Device
        do throws(PageRefusal) {
            device = try await change { $0.add(admission, from: client, userAgent: userAgent, replacing: old) }
        } catch {
            // A code is good once: it is not used up where the device could not be added.
            devices.giveBack(admission)
            throw error
        }
        didChange(.paired(device))
        return Self.seeOther(cookie: Self.cookie(admission.token, age: 31_536_000, isSecure: request.isSecure))
    }

    private func redeem(_ code: String, _ client: SocketAddress) throws(PageRefusal) -> DeviceAdmission {
        do throws(PairingFailure) { return try devices.redeem(code: code, from: client) } catch {
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

    private func use(_ request: HandledRequest) async throws(PageRefusal) -> HandledResponse {
        try PageGate.admitChange(request)
        let form = FormBody(request.body)
        let device = try device(request, form)
        let wanted = form["active"] == nil ? form["profile"] ?? "" : nil
        if let wanted, choose(request)?.library[wanted] == nil {
            throw PageRefusal(404, "There is no profile “\(wanted)” any more.")
        }
        // A phone that returns to the network with another address keeps its profile.
        let changed = try await change { [client = request.client] in $0.assign(wanted, to: device.name, at: client) }
        if let changed { didChange(.assigned(changed)) }
        return Self.seeOther(cookie: nil)
    }

    private func forget(_ request: HandledRequest) async throws(PageRefusal) -> HandledResponse {
        try PageGate.admitChange(request)
        let device = try device(request, FormBody(request.body))
        let isForgotten = try await change { $0.forget(device.name) }
        if isForgotten { didChange(.forgotten(name: device.name)) }
        return Self.seeOther(cookie: Self.cookie("", age: 0, isSecure: request.isSecure))
    }

    /// The device whose token the client shows: an address alone must not suffice to change something.
    ///
    /// The form must be one that was made for it, which pages of other origins cannot read.
    private func device(_ request: HandledRequest, _ form: FormBody) throws(PageRefusal) -> Device {
        let shown = shown(request)
        guard !shown.isEmpty else { throw PageRefusal(403, "This device is not paired.") }
        guard let own = shown.first(where: { $0.formKey == form["key"] }) else {
            throw PageRefusal(403, "That page was not made for this device: open it anew.")
        }
        return own.device
    }

    private func shown(_ request: HandledRequest) -> [(device: Device, formKey: String)] {
        request.fields.filter { $0.name.lowercased() == "cookie" }
            .flatMap { devices.shown(inCookie: ContiguousArray($0.value.utf8).span) }
    }

    private static func cookie(_ token: String, age: Int, isSecure: Bool) -> String {
        "\(DeviceToken.cookie)=\(token); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// After a change: redirects to the page.
    private static func seeOther(cookie: String?) -> HandledResponse {
        let fields = [(name: "Location", value: "/"), (name: "Cache-Control", value: "no-store")]
        return HandledResponse(status: 303, fields: fields + (cookie.map { [("Set-Cookie", $0)] } ?? []), body: [])
    }
}
