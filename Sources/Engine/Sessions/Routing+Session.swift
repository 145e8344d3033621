import Bytes
import Contracts
import HTTP
import Profiles
import Reactor

extension Routing {
    /// The identifier of the session that a request belongs to: of its field `Shunt-Session`, of the label of its path,
    /// of the port that it came to, or of its cookie; nil for none.
    ///
    /// A request without any pays for a look at its names, and for one at its cookies where it has some.
    func sessionID() throws(EngineFailure) -> String? {
        let head = request.head.names
        if head.contains(.shuntSession) { return try idOfField() }
        if let label = request.sessionLabel { return label }
        if let own = client.connected.sessionID { return own }
        return head.contains(.cookie) ? idOfCookie : nil
    }

    @inline(never)
    private func idOfField() throws(EngineFailure) -> String {
        let bytes = request.bytes
        var id: String?
        for field in request.head.fields where field.id == .shuntSession {
            guard id == nil else {
                try host.check()
                throw EngineFailure(
                    .client, .route, status: 400, "several Shunt-Session fields",
                    advice: "Send one, with one identifier.")
            }
            id = String(bytes.extracting(field.value))
        }
        return id ?? ""
    }

    private var idOfCookie: String? {
        let bytes = request.bytes
        for field in request.head.fields where field.id == .cookie {
            let value = bytes.extracting(field.value)
            var start = 0
            if let range = OwnCookie.next(SessionCookie.name, in: value, from: &start), !range.isEmpty {
                return String(value.extracting(range))
            }
        }
        return nil
    }

    /// The session's choice: it says which profile is under it.
    @inline(never)
    func choose(session id: String, _ environment: Environment) throws(EngineFailure) -> Choice {
        let own = try ownProfile(environment)
        guard let plan = environment.sessions[id],
            plan.session.use(now: client.state.core.now, isNew: request.session == nil)
        else {
            try host.check()
            let failure = SessionFailure.unknown(id: id, why: environment.sessions.end(of: id))
            throw EngineFailure(
                .client, .route, status: 400, failure.message,
                advice:
                    "\(failure.advice ?? "") Without Shunt-Session, the cookie \(SessionCookie.name) and a path below "
                    + "\(SessionLabel.path), requests go to the profile.")
        }
        let name = plan.session.profile
        if let own, own.reason == .header || own.reason == .hostLabel, own.plan.profile.name != name {
            throw EngineFailure(
                .client, .route, status: 400,
                "the request is for the profile \(own.plan.profile.name), and its session \(id) is over \(name)",
                advice: "Leave the profile away, or start a session over it.")
        }
        guard let base = environment.plan(named: name), plan.problem == nil else {
            throw EngineFailure(
                .client, .route, status: 503,
                "the session \(id) does not fit the profiles any more: \(plan.problem ?? "\(name) is gone")",
                advice: "Mend the profile, or end the session and start another one.")
        }
        return Choice(plan: base, reason: .session, labelLength: own?.labelLength ?? 0, session: plan)
    }

    /// The route of the request's session that fits it; nil where that leaves it to the profile, or something has to be
    /// learnt first.
    func chooseSessionRoute() throws(EngineFailure) -> RoutePlan? {
        guard let overlay = request.session?.overlay, let index = match(overlay.selection, overlay),
            !request.lookahead.isOpen
        else { return nil }
        let route = overlay.routes[index]
        if route.takesAnyHost { try host.check() }
        return route
    }

    /// What an exchange of a session's route is compared with: the contract of the profile's route that would have
    /// responded without it, unless the route names its own; nil for none.
    ///
    /// - Parameter plan: of the profile under the session.
    func contract(of route: RoutePlan, over plan: ProfilePlan) -> RouteContract? {
        guard plan.hasContracts, route.route.leavesContractOpen else { return nil }
        let index = match(selection(plan), plan)
        // Nothing waits for a body on account of this: what asks for one is passed over.
        request.lookahead.leaveOpen()
        return index.flatMap { plan.routes[$0].contract }
    }
}

/// `/__shunt/session/ID` in front of a path, for clients that let their base URL alone be set; it is not sent to
/// origins.
enum SessionLabel {
    static let path: StaticString = "/__shunt/session/"
    /// The length of a path with an identifier of one character and nothing behind it.
    static let shortest = 18

    /// Where the identifier lies in a path; nil where none does.
    static func identifier(in bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        guard bytes.extracting(range).starts(with: path) else { return nil }
        let start = range.lowerBound + path.utf8CodeUnitCount
        let end = ByteSearch.byte(UInt8(ascii: "/"), in: bytes, from: start, to: range.upperBound)
        return start < end ? start..<end : nil
    }
}

/// The cookie by which browsers carry a session; it is not sent to origins.
enum SessionCookie {
    static let name: StaticString = "shunt-session"
}

/// The cookies of Shunt itself among those of a request.
enum OwnCookie {
    /// Where the value of the next cookie of a name lies in a `Cookie` field (RFC 6265 section 4.2.1); nil behind the
    /// last one.
    ///
    /// There may be several: a page can set cookies of this name for other paths, which browsers send first.
    /// - Parameter start: where to look from, 0 at first; is moved on behind the value.
    static func next(_ name: StaticString, in value: Span<UInt8>, from start: inout Int) -> Range<Int>? {
        let length = name.utf8CodeUnitCount
        while start < value.count {
            let end = ByteSearch.byte(UInt8(ascii: ";"), in: value, from: start, to: value.count)
            defer { start = end + 1 }
            while start < end, ByteSearch.isBlank(value[start]) { start += 1 }
            guard end - start > length, value[start + length] == UInt8(ascii: "=") else { continue }
            if (0..<length).allSatisfy({ value[start + $0] == name.utf8Start[$0] }) {
                return (start + length + 1)..<end
            }
        }
        return nil
    }
}
