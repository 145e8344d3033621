import HTTP
import Profiles
import Rewriting

extension BodyEdits {
    convenience init(_ changes: BodyChanges) { self.init(json: changes.json, text: changes.text, types: changes.types) }
}

extension RouteEdits {
    /// Edits the body of a request that has been changed for an origin.
    ///
    /// It is read whole, since many servers take no body without a length, and since the guard of production judges what
    /// arrives.
    @inline(never)
    func editBody(of exchange: ClientExchange) async throws(EngineFailure) {
        guard let edits = requestBody, let applied = exchange.way.edits, applied.request != nil,
            exchange.request.head.framing != .none, !exchange.request.upgrade.isAsked
        else { return }
        let sent = exchange.sent
        guard let type = sent.head.field(.contentType).map({ sent.array($0.value) }), edits.use(for: type.span) != nil
        else { return }
        try await exchange.body.buffer(max: BodyEdits.longest, exchange.recording)
        guard let buffered = exchange.body.buffered, buffered.isComplete, buffered.bytes.count <= BodyEdits.longest
        else {
            throw tooLong
        }
        let (bytes, coding) = (buffered.bytes, sent.head.fields.contentEncoding(from: sent.bytes))
        let result = try await exchange.body.perform(size: bytes.count) {
            edits.edited(bytes, contentType: type.span, contentEncoding: coding.span)
        }
        switch result {
        case .unchanged: break
        case .changed(let edited):
            applied.body = edited
            exchange.metrics.changes.insert(.requestEdits)
        case .obstacle(.tooLong): throw tooLong
        case .obstacle(.notJSON): exchange.metrics.changes.insert(.notJSON)
        }
    }

    /// Nothing goes on unedited: what a route removes may be what an origin must not get.
    private var tooLong: EngineFailure {
        EngineFailure(
            .client, .route, status: 413,
            "the route \(label) edits bodies of requests (\"request\"), and this one has more than "
                + "\(BodyEdits.longest >> 20) MiB",
            advice: "Name other media types under \"types\", or send it by a route without these edits.")
    }
}

extension LocalResponse {
    /// A response of Shunt's own with what the route changes in its body.
    @inline(never)
    func edited(in exchange: ClientExchange) -> LocalResponse {
        guard let plan = exchange.way.edits?.plan else { return self }
        var response = self
        if let edits = plan.responseBody { response.edit(by: edits, &exchange.metrics.changes) }
        return plan.injection == nil ? response : response.injected(in: exchange)
    }

    private mutating func edit(by edits: BodyEdits, _ made: inout RewriteChanges) {
        guard Self.mayHaveBody(status), let type = FieldLines.values(of: "content-type", in: fields).first,
            edits.use(for: ContiguousArray(type.utf8).span) != nil
        else { return }
        guard status != 206 else { return made.formUnion(.unreadableBody) }
        let coding = FieldLines.values(of: "content-encoding", in: fields).joined(separator: ",")
        let result = edits.edited(
            body, contentType: ContiguousArray(type.utf8).span, contentEncoding: ContiguousArray(coding.utf8).span)
        switch result {
        case .unchanged: break
        case .changed(let edited):
            body = edited
            made.insert(.responseEdits)
        case .obstacle(let obstacle): made.note(obstacle)
        }
    }
}

extension RewriteChanges {
    /// What became of a response's body.
    mutating func note(_ editing: BodyEditing) {
        if editing.hasChanged { insert(.responseEdits) }
        if let obstacle = editing.obstacle { note(obstacle) }
    }

    fileprivate mutating func note(_ obstacle: BodyEditing.Obstacle) {
        switch obstacle {
        case .tooLong: insert(.longJSON)
        case .notJSON: insert(.notJSON)
        }
    }
}
