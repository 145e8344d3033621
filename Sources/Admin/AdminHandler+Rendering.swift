import Engine
import Filter
import Inspection
import JSON
import Profiles
import Redaction
import Store

// What the inspector shows in other words than it is stored.
extension AdminHandler {
    /// Lines of a body as text, at most, and characters of each.
    private static let (maxLines, maxWidth) = (20_000, 4000)
    /// Bytes of a body that code may hold.
    private static let maxBodyOfCode = 512 << 10

    /// The words of the filter language.
    func listOperators() -> Record<API.Operators> {
        Record {
            $0.operators = TrafficFilter.operators.map { item in
                Record {
                    $0.name = "~" + item.name
                    $0.argument = item.argument
                    $0.meaning = item.meaning
                }
            }
        }
    }

    /// What Shunt changed in heads, with the reasons, and in bodies.
    func showChanges(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        let id = try call.identity()
        let changes = try await desk().read { (reader) throws(StoreFailure) -> (HeadChanges, [LineDifference?])? in
            guard let record = try reader.record(id) else { return nil }
            return (HeadChanges(record), [try reader.changes(record, .request), try reader.changes(record, .response)])
        }
        guard let (heads, bodies) = changes else { throw .noExchange(id) }
        return .json(200) { heads.write(bodies: (bodies[0], bodies[1]), to: &$0) }
    }

    /// A body by its type, as lines for people.
    func showBody(_ call: AdminCall, _ side: BodySide) async throws(AdminRefusal) -> Record<API.BodyText> {
        let id = try call.identity()
        let calls = calls
        let found = try await desk().read { (reader) throws(StoreFailure) -> (text: String, isCut: Bool)? in
            guard let record = try reader.record(id) else { return nil }
            var text = ""
            let sink = LineSink(limit: Self.maxLines, width: Self.maxWidth) { text += $0 + "\n" }
            try reader.render(record, side, calls: calls, to: sink)
            return (text, sink.isCut)
        }
        guard let found else { throw .noExchange(id) }
        return Record {
            $0.text = found.text
            $0.isCut = found.isCut
        }
    }

    /// What the profiles know of gRPC calls.
    var calls: CallSchemas {
        guard let library = proxy.profiles?.library else { return .none }
        return CallSchemas(library.grpc, rules: library.redactionRules)
    }

    /// The request as code.
    func showCode(_ call: AdminCall) async throws(AdminRefusal) -> Record<API.Code> {
        let id = try call.identity()
        let form = try call.choice("as", of: RequestCode.allCases.map { ($0.rawValue, $0) })
        let calls = form == .grpcurl ? calls : .none
        let found = try await desk().read { (reader) throws(StoreFailure) in try Self.request(id, reader, calls) }
        guard let request = found else { throw .noExchange(id) }
        guard request.body.count <= Self.maxBodyOfCode else {
            throw AdminRefusal(
                409, "the body has more than \(Self.maxBodyOfCode >> 10) KiB, which is too long for code",
                advice: "Write it into a file: shunt show \(id) --raw request > body.bin")
        }
        guard form != .grpcurl || request.isCall else {
            throw AdminRefusal(409, "the request is no gRPC call", advice: "Take curl or another form.")
        }
        return Record {
            $0.title = form.title
            $0.code = form.text(of: request)
            $0.secrets = Set(request.secrets.map(\.replacement.digest)).count
        }
    }
}
