import Bytes
import HTTP
import Profiles
import Protobuf
import Rewriting

/// The answers of mocks of gRPC calls to clients that ask what they are made of, made ready for the data path.
final class DescriptionPlans: Sendable {
    private let routes: [RoutePlan]
    let selection: RouteSelection

    /// Nil without such mocks.
    init?(_ routes: [Route], in profile: Profile, _ compiler: inout EnvironmentCompiler) throws(ProxyError) {
        guard let descriptions = GRPCDescriptions(routes) else { return nil }
        var plans: [RoutePlan] = []
        for one in descriptions.all {
            var responders: [any Responder] = []
            if let preflight = try PreflightResponder.make(for: one.route, in: profile, &compiler) {
                responders.append(preflight)
            }
            responders.append(ReflectionResponder(one, in: profile))
            plans.append(RoutePlan(one.route, in: profile, responders: responders, wrappers: [], guarded: nil))
        }
        (self.routes, selection) = (plans, descriptions.selection)
    }

    subscript(_ index: Int) -> RoutePlan { routes[index] }
}

extension Routing {
    /// The route by which mocks of calls describe themselves; nil for other requests, and where there are none.
    func chooseDescription(_ plan: ProfilePlan) throws(EngineFailure) -> RoutePlan? {
        let overlay = request.session?.overlay
        guard plan.descriptions != nil || overlay?.descriptions != nil else { return nil }
        let layers = [overlay, plan].compactMap { $0 }.filter { $0.descriptions != nil }
        let path = String(request.bytes.extracting(request.head.path))
        guard ReflectionQuestion.paths.contains(path) else { return nil }
        for layer in layers {
            guard let descriptions = layer.descriptions, let index = match(descriptions.selection, layer) else {
                continue
            }
            let route = descriptions[index]
            if route.takesAnyHost { try host.check() }
            return route
        }
        return nil
    }
}

/// Answers for the mocks of a host.
private final class ReflectionResponder: Responder {
    private let description: GRPCDescriptions.Description
    private let sender: LocalSender
    private let stream: OriginUse

    init(_ description: GRPCDescriptions.Description, in profile: Profile) {
        self.description = description
        sender = LocalSender("mock", of: description.route, in: profile)
        stream = MockResponder.use(of: description.route, in: profile)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let form = exchange.request.received.callForm else { throw CallWriter.noCall }
        try sender.begin(200, in: exchange, step, of: "the mock")
        let script = ReflectionScript(
            description, CallWriter(form), coding: exchange.request.received.value(of: "grpc-encoding"))
        if exchange.request.head.framing == .none { script.take([], isLast: true) }
        try await MessageRelay(exchange: exchange, use: stream).send(script.writer.head(), script)
        exchange.metrics.callStatus = script.status
    }
}

/// One stream of questions with its answers, each as its question comes.
///
/// Confined to its worker. An answer is sent in pieces of the descriptors themselves, and the next question is looked at
/// when it has left: a client that asks and does not read makes nothing grow.
private final class ReflectionScript: ListeningSource {
    /// Bytes of a question.
    private static let maxQuestion = 64 << 10
    private static let maxPiece = 32 << 10

    private let description: GRPCDescriptions.Description
    let writer: CallWriter
    private let coding: [UInt8]?
    private var received: [UInt8] = []
    private var used = 0
    private var isWhole = false
    private var isDecoded = false
    private var sent: Set<String> = []
    private var answer: [ArraySlice<UInt8>] = []
    private var rest: [PacedPiece] = []
    private(set) var status: UInt16?

    init(_ description: GRPCDescriptions.Description, _ writer: CallWriter, coding: [UInt8]?) {
        (self.description, self.writer, self.coding) = (description, writer, coding)
    }

    var staysOpen: Bool { false }
    var hasEnded: Bool { status != nil && rest.isEmpty }

    func take(_ bytes: [UInt8], isLast: Bool) {
        received.removeFirst(used)
        used = 0
        received += bytes
        isWhole = isLast
    }

    func next() -> PacedPiece? {
        if !rest.isEmpty { return rest.removeFirst() }
        if let piece = answer.popLast() {
            if piece.count > Self.maxPiece { answer.append(piece.dropFirst(Self.maxPiece)) }
            return writer.piece(Array(piece.prefix(Self.maxPiece)), after: 0)
        }
        guard status == nil else { return nil }
        if let trailers = description.trailers { return end(14, trailers) }
        if writer.form == .webText, !isDecoded {
            guard isWhole else { return received.count > Self.maxQuestion ? end(8, "the question is too long") : nil }
            guard let decoded = GRPC.decodedText(received[...], isWhole: true) else {
                return end(3, "the request is no Base64")
            }
            (received, isDecoded) = (decoded, true)
        }
        guard let frame = GRPCFrame(received[used...]), !frame.isCut else { return endOfQuestions() }
        guard let question = frame.message(coding: coding, limit: Self.maxQuestion) else {
            return end(3, "the question cannot be decoded, or is longer than \(Self.maxQuestion) bytes")
        }
        used = frame.rest.startIndex
        let answer =
            ReflectionQuestion(question[...]).map { description.catalog.answer(to: $0, sent: &sent) }
            ?? .failure(3, "the message is no question of server reflection")
        let pieces = answer.pieces(to: question[...])
        let head = GRPC.head(length: pieces.reduce(0) { $0 + $1.count })
        self.answer = ([head[...]] + pieces).filter { !$0.isEmpty }.reversed()
        return next()
    }

    /// There is no whole question at present; a status where none will come.
    private func endOfQuestions() -> PacedPiece? {
        let left = received.count - used
        if left > 0, GRPCFrame(received[used...]).map({ $0.length > Self.maxQuestion }) ?? (left >= 5) {
            return end(8, "the question is no message, or longer than \(Self.maxQuestion) bytes")
        }
        guard isWhole else { return nil }
        return left == 0 ? end(0, "") : end(3, "the last question is cut off")
    }

    private func end(_ status: Int, _ text: String) -> PacedPiece? {
        end(UInt16(status), GRPC.trailers(status: status, message: text, details: []))
    }

    private func end(_ status: UInt16, _ lines: [UInt8]) -> PacedPiece? {
        self.status = status
        rest = writer.end(lines, after: 0)
        return rest.removeFirst()
    }
}
