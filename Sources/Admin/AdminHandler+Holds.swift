import Bytes
import Engine
import Exchanges

// Breakpoints, and what becomes of the exchanges that they hold.
extension AdminHandler {
    private var breakpoints: Breakpoints {
        get throws {
            guard let breakpoints = proxy.breakpoints else {
                throw AdminRefusal(
                    409, "`shunt run` holds no exchange: nobody is there who would let it go on",
                    advice: "Set breakpoints in `shunt serve`.")
            }
            return breakpoints
        }
    }

    func listBreakpoints() throws -> Record<API.Breakpoints> {
        let breakpoints = try breakpoints
        return Record {
            $0.breakpoints = Self.records(breakpoints)
            $0.passed = breakpoints.passed
        }
    }

    func addBreakpoint(_ body: Record<API.BreakpointBody>, _ call: AdminCall) throws -> Record<API.Breakpoints> {
        let breakpoints = try breakpoints
        let word = body.phase ?? "request"
        guard let phase = Breakpoint.Phase(rawValue: word) else {
            let words = Breakpoint.Phase.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminRefusal(400, "\"phase\" is “\(word)”", advice: "Give one of \(words).")
        }
        let new = try breakpoints.add(
            body.filter, phase, device: body.device, seconds: body.seconds ?? Breakpoint.usualSeconds)
        call.note.add(target: "breakpoint \(new.id)", after: "\(word)s of \(new.filter)")
        return try listBreakpoints()
    }

    func removeBreakpoints(_ query: Record<API.OneBreakpoint>, _ call: AdminCall) throws -> Record<API.Breakpoints> {
        let breakpoints = try breakpoints
        call.note.add(target: query.id.map { "breakpoint \($0)" } ?? "all breakpoints")
        try breakpoints.remove(query.id)
        return try listBreakpoints()
    }

    func listHeld() throws -> Record<API.HeldList> {
        let breakpoints = try breakpoints
        return Record {
            $0.held = breakpoints.held.map(Self.record)
            $0.breakpoints = Self.records(breakpoints)
        }
    }

    func showHeld(_ call: AdminCall) throws -> Record<API.HeldMessage> {
        let held = try held(call)
        let view = held.view
        return Record {
            ($0.id, $0.phase) = (held.id, held.phase.rawValue)
            ($0.method, $0.host, $0.path, $0.status) = (view.method, view.host, view.path, held.status)
            $0.fields = view.fields.map { [$0.name, $0.value] }
            ($0.body, $0.base64, $0.note) = (view.body, view.binary.map { Base64Encoder.text($0) }, view.note)
            ($0.from, $0.kind) = (held.sender, held.kind)
            ($0.url, $0.millisecondsLeft) = (held.url, held.millisecondsLeft)
        }
    }

    func continueHeld(_ body: Record<API.HeldEdit>, _ call: AdminCall) async throws -> Record<API.HeldList> {
        var edit = HoldEdit()
        (edit.method, edit.host, edit.path, edit.status) = (body.method, body.host, body.path, body.status)
        (edit.fields, edit.body, edit.binary) = (try Self.fields(body.fields), body.body, try Self.binary(body.base64))
        return try await decide(call) { (held) throws(HoldFailure) in try held.goOn(edit) }
    }

    func respondToHeld(_ body: Record<API.HeldResponse>, _ call: AdminCall) async throws -> Record<API.HeldList> {
        var edit = HoldEdit()
        (edit.status, edit.fields, edit.body) = (body.status, try Self.fields(body.fields), body.body)
        edit.binary = try Self.binary(body.base64)
        return try await decide(call) { (held) throws(HoldFailure) in try held.respond(edit) }
    }

    func dropHeld(_ call: AdminCall) async throws -> Record<API.HeldList> {
        try await decide(call) { (held) throws(HoldFailure) in try held.drop() }
    }

    private func decide(
        _ call: AdminCall, _ body: (HeldExchange) throws(HoldFailure) -> Void
    ) async throws -> Record<API.HeldList> {
        let held = try held(call)
        call.note.add(after: "\(held.phase.rawValue) \(held.method) \(held.url)")
        try body(held)
        try await held.judge()
        return try listHeld()
    }

    private func held(_ call: AdminCall) throws -> HeldExchange {
        let (breakpoints, id) = (try breakpoints, Int(try call.identity()))
        return try breakpoints.exchange(id)
    }

    private static func binary(_ base64: String?) throws -> [UInt8]? {
        guard let base64 else { return nil }
        if let bytes = Base64Decoder.bytes(base64) { return bytes }
        throw AdminRefusal(400, "\"base64\" is no Base64", advice: "Send the bytes as Base64 (RFC 4648 4).")
    }

    private static func fields(_ fields: [[String]]?) throws -> [(name: String, value: String)]? {
        guard fields?.allSatisfy({ $0.count == 2 }) ?? true else {
            throw AdminRefusal(
                400, "\"fields\" is no list of names and values", advice: "Send [[\"NAME\", \"VALUE\"]].")
        }
        return fields?.map { ($0[0], $0[1]) }
    }

    private static func records(_ breakpoints: Breakpoints) -> [Record<API.Breakpoint>] {
        let held = breakpoints.held
        return breakpoints.all.map { breakpoint in
            Record {
                ($0.id, $0.filter, $0.phase) = (breakpoint.id, breakpoint.filter, breakpoint.phase.rawValue)
                ($0.device, $0.seconds) = (breakpoint.device, breakpoint.seconds)
                $0.held = held.count { $0.breakpoint.id == breakpoint.id }
            }
        }
    }

    private static func record(_ held: HeldExchange) -> Record<API.Held> {
        Record {
            ($0.id, $0.phase) = (held.id, held.phase.rawValue)
            ($0.breakpoint, $0.filter) = (held.breakpoint.id, held.breakpoint.filter)
            ($0.method, $0.url, $0.status) = (held.method, held.url, held.status)
            ($0.client, $0.device, $0.profile) = (held.client, held.device, held.profile)
            ($0.from, $0.kind) = (held.sender, held.kind)
            $0.millisecondsLeft = held.millisecondsLeft
        }
    }
}

extension HeldExchange {
    fileprivate var sender: String? { facts.map { $0.sender == .client ? "client" : "origin" } }
    fileprivate var kind: String? { facts?.kind.name }
}

extension AdminRefusal {
    init(_ failure: HoldFailure) {
        let status =
            switch failure.kind {
            case .wrong: 400
            case .missing: 404
            case .full: 409
            case .forbidden: 403
            }
        self.init(status, failure.message, advice: failure.advice, column: failure.column)
    }
}
