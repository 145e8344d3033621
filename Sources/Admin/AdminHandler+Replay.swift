import Engine
import Inspection
import JSON
import Reactor
import Store

extension AdminHandler {
    /// Sends a recorded request again, as it was or edited, and returns the differences.
    func replay(_ body: Record<API.Replay>, _ call: AdminCall) async throws -> Record<API.Replays> {
        let id = try call.identity()
        let wanted = body.profile
        if let wanted { _ = try profile(named: wanted) }
        let times = body.times ?? 1
        guard (1...10).contains(times) else {
            throw AdminRefusal(400, "times is \(times)", advice: "Give a number from 1 to 10.")
        }
        guard let port = proxy.addresses.first?.port else { throw AdminRefusal(409, "Shunt listens nowhere") }
        let isForced = body.force ?? false
        let edit = try RequestEdit(body.method, body.url, body.fields, body.body)
        call.note.add(after: (wanted.map { "to \($0)" } ?? "as it was") + (times > 1 ? ", \(times) times" : ""))
        let desk = try desk()
        let recorded = try await desk.read { reader in try Self.recorded(id, reader) }
        guard let (unedited, original) = recorded else { throw AdminRefusal.noExchange(id) }
        let client = ReplayClient(port: port, profile: wanted)
        let request = try Self.edited(unedited, edit, client)
        if request.isUpgrade || !isForced && !request.obstacles.isEmpty {
            throw AdminRefusal(
                409, "the request cannot be sent as it was: " + request.obstacles.joined(separator: "; "),
                advice: request.isUpgrade ? nil : "Send it as it is recorded with \"force\": true.")
        }
        return try await desk.ask {
            try Self.replays(of: request, original, times, client, id)
        }
    }

    /// Sends a request that was not recorded, like any client's.
    func sendRequest(_ body: Record<API.NewRequest>, _ call: AdminCall) async throws -> Record<API.Sent> {
        let wanted = body.profile
        if let wanted { _ = try profile(named: wanted) }
        guard let port = proxy.addresses.first?.port else { throw AdminRefusal(409, "Shunt listens nowhere") }
        let edit = try RequestEdit(body.method, body.url, body.fields, body.body)
        call.note.add(after: wanted.map { "to \($0)" } ?? "as this machine")
        let client = ReplayClient(port: port, profile: wanted)
        let request = try Self.edited(
            RecordedRequest(method: "GET", host: "localhost", target: "/", fields: []), edit, client)
        let response = try await desk().ask { try client.send(request) }
        return Record {
            $0.status = response.status
            $0.microseconds = Int(response.time)
        }
    }

    private static func edited(
        _ request: RecordedRequest, _ edit: RequestEdit, _ client: ReplayClient
    ) throws -> RecordedRequest {
        guard !edit.isEmpty else { return request }
        let edited = try request.edited(edit)
        if let reason = client.misreading(of: edited) {
            throw AdminRefusal(
                400, "the edited request cannot be sent: \(reason)",
                advice: "Host, Content-Length and Connection are set for you; leave them and Transfer-Encoding out.")
        }
        return edited
    }

    private static func recorded(_ id: Int64, _ reader: TrafficReader) throws -> (RecordedRequest, RecordedResponse)? {
        guard let response = try RecordedResponse(reader, id), let request = try request(id, reader) else { return nil }
        return (request, response)
    }

    /// nil if the exchange was removed.
    static func request(_ id: Int64, _ reader: TrafficReader, _ calls: CallSchemas = .none) throws -> RecordedRequest? {
        do throws(ExportFailure) { return try reader.request(id, calls) } catch {
            if case .store(let failure) = error { throw failure }
            return nil
        }
    }

    private static func replays(
        of request: RecordedRequest, _ original: RecordedResponse, _ times: Int, _ client: ReplayClient, _ id: Int64
    ) throws -> Record<API.Replays> {
        var replays: [Record<API.Replayed>] = []
        for _ in 0..<times {
            let response = try client.send(request)
            replays.append(response.record(original.response.differences(from: original.comparable(response))))
        }
        return Record {
            $0.id = Int(id)
            $0.replays = replays
            $0.isEqual = replays.allSatisfy(\.isEqual)
        }
    }
}
