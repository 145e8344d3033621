import Bytes
import HTTP
import Profiles

/// Sees the body of a response on its way to the client.
class BodyWitness {
    /// More of the body.
    func add(_ bytes: UnsafeRawBufferPointer) {}
}

/// Keeps a copy of one response on its way to the client, and never holds it back.
final class ResponseKeeper: BodyWitness {
    let plan: KeepingPlan
    let key: KeptKey
    private let isHead: Bool
    private var draft: Draft?
    /// A kept response that the origin's 304 is about, and what it says.
    private var renewal: (kept: KeptResponse, says: KeptResponse.Renewal)?
    /// The origin wants nothing to be kept.
    private var isForbidden = false

    private struct Draft {
        let use: OriginUse
        let head: KeptResponse.Head
        let memory: HeldMemory
        var body: [UInt8] = []
    }

    init(_ plan: KeepingPlan, _ key: KeptKey, isHead: Bool) {
        self.plan = plan
        self.key = key
        self.isHead = isHead
    }

    /// The head of the final response is there; returns whether its body is wanted.
    @inline(never)
    func begin(
        _ head: borrowing ResponseHead, _ bytes: Span<UInt8>, _ use: OriginUse, _ exchange: ClientExchange
    ) -> Bool {
        (draft, renewal) = (nil, nil)
        guard plan.has(use) else { return false }
        for field in head.fields where field.id == .cacheControl {
            if CacheDirectives.has("no-store", bytes.extracting(field.value)) { isForbidden = true }
        }
        if !isForbidden, head.status == 304 { renewal = renewal(head, bytes, use, exchange) }
        guard !isForbidden, [200, 203, 204, 301, 308].contains(head.status), isWhole(head),
            !MessageStream.isEvents(head, bytes), let varied = varied(head, bytes, exchange)
        else { return false }
        var dropped: FieldNameSet = [.age, .setCookie, .shuntAnsweredBy, .shuntCluster, .trailer]
        if !isHead { dropped.insert(.contentLength) }
        guard let fields = Self.fields(of: head, bytes, dropping: dropped) else { return false }
        let line = Array("HTTP/1.1 \(head.status) ".utf8) + [UInt8](bytes.extracting(head.reason)) + [0x0D, 0x0A]
        draft = Draft(
            use: use,
            head: KeptResponse.Head(
                statusLine: line, fields: fields, hasContent: head.status != 204,
                facts: KeptResponse.Facts(head, bytes), varied: varied),
            memory: HeldMemory(exchange.state.held))
        return true
    }

    private static func fields(
        of head: borrowing ResponseHead, _ bytes: Span<UInt8>, dropping dropped: FieldNameSet
    ) -> [UInt8]? {
        var fields = Buffer(capacity: bytes.count)
        let fits = HeadWriter.appendForwardedFields(of: head.fields, from: bytes, to: &fields, dropping: dropped)
        return fits ? [UInt8](fields.unsafeBytes) : nil
    }

    override func add(_ bytes: UnsafeRawBufferPointer) {
        guard let (count, memory) = draft.map({ ($0.body.count, $0.memory) }) else { return }
        if count + bytes.count > plan.settings.maxResponse || !memory.grow(by: bytes.count) {
            draft = nil
        } else {
            draft?.body.append(contentsOf: bytes)
        }
    }

    /// The response has come to its end.
    func finish(in kept: KeptResponses) {
        let maxSize = plan.settings.maxSize
        if isForbidden { return kept.drop(key, maxSize: maxSize) }
        if let renewal { return kept.renew(renewal.kept, by: renewal.says, for: key, maxSize: maxSize) }
        guard let draft = draft.take() else { return }
        kept.keep(
            KeptResponse(draft.use.origin.address, isHead: isHead, draft.head, body: draft.body, at: kept.clock()),
            for: key, maxSize: maxSize)
    }

    /// What a 304 renews; nil where it is about nothing that was kept for such a request.
    private func renewal(
        _ head: borrowing ResponseHead, _ bytes: Span<UInt8>, _ use: OriginUse, _ exchange: ClientExchange
    ) -> (kept: KeptResponse, says: KeptResponse.Renewal)? {
        // A 304 has no body: fields that describe one stay as they were kept (RFC 9111 3.2).
        let dropped: FieldNameSet = [
            .age, .setCookie, .shuntAnsweredBy, .shuntCluster, .contentLength, .contentEncoding, .contentType,
            .contentRange, .trailer,
        ]
        guard let varied = varied(head, bytes, exchange), let fields = Self.fields(of: head, bytes, dropping: dropped)
        else { return nil }
        let says = KeptResponse.Renewal(
            fields: fields, facts: KeptResponse.Facts(head, bytes), varied: head.field(.vary) == nil ? nil : varied)
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        let kept = exchange.state.kept.find(key, maxSize: plan.settings.maxSize) { response in
            response.origin == use.origin.address && response.isMeant(by: says)
                && response.head.varied.allSatisfy { view.fields($0.name) == $0.values }
        }
        return kept.map { ($0, says) }
    }

    /// Its end can be told from a connection that broke, it comes to one, and it is not too long.
    private func isWhole(_ head: borrowing ResponseHead) -> Bool {
        switch head.framing {
        case .untilClose, .tunnel: return false
        case .length(let length): return length <= UInt64(plan.settings.maxResponse)
        case .none, .chunked, .stream: return true
        }
    }

    /// What the request says in the fields that Vary names; nil if the response depends on more than that.
    private func varied(
        _ head: borrowing ResponseHead, _ bytes: Span<UInt8>, _ exchange: ClientExchange
    ) -> [KeptResponse.VariedField]? {
        var names: Set<String> = []
        for field in head.fields where field.id == .vary {
            for name in String(bytes.extracting(field.value)).split(separator: ",") {
                names.insert(name.filter { !$0.isWhitespace }.lowercased())
            }
        }
        if names.contains("*") { return nil }
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        return names.sorted().map { KeptResponse.VariedField(name: $0, values: view.fields($0)) }
    }
}

extension KeptResponse.Facts {
    fileprivate init(_ head: borrowing ResponseHead, _ bytes: Span<UInt8>) {
        func text(_ name: FieldName) -> [UInt8]? { head.field(name).map { [UInt8](bytes.extracting($0.value)) } }
        var tag = text(.etag) ?? []
        if tag.starts(with: "W/".utf8) { tag.removeFirst(2) }
        let modified = text(.lastModified).flatMap { HTTPDate.parse($0.span) } ?? .max
        validators = Validators(entityTag: tag, lastModified: modified)
        // RFC 9111 1.2.2: what does not fit counts as 2^31; 5.1: what is no number counts as absent.
        age = text(.age).flatMap { UntrustedNumber(digits: $0) }?.clamped(to: 0...1 << 31) ?? 0
        for field in head.fields where field.id == .cacheControl {
            isPublic = isPublic == true || CacheDirectives.has("public", bytes.extracting(field.value))
        }
    }
}
