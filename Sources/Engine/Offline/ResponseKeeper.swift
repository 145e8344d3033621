import Bytes
import HTTP
import Profiles

/// Keeps a copy of one response on its way to the client, and never holds it back.
final class ResponseKeeper {
    let plan: KeepingPlan
    let key: KeptKey
    private let isHead: Bool
    private var draft: Draft?
    /// The origin wants nothing to be kept.
    private var isForbidden = false

    private struct Draft {
        let use: OriginUse
        let statusLine: [UInt8]
        let fields: [UInt8]
        let hasContent: Bool
        let validators: Validators
        let age: Int64
        let varied: [KeptResponse.VariedField]
        let isPublic: Bool
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
        draft = nil
        guard plan.has(use) else { return false }
        for field in head.fields where field.id == .cacheControl {
            if CacheDirectives.has("no-store", bytes.extracting(field.value)) { isForbidden = true }
        }
        guard !isForbidden, [200, 203, 204, 301, 308].contains(head.status), isWhole(head),
            !isEventStream(head, bytes), let varied = varied(head, bytes, exchange)
        else { return false }
        var fields = Buffer(capacity: bytes.count)
        var dropped: FieldNameSet = [.age, .setCookie, .shuntAnsweredBy]
        if !isHead { dropped.insert(.contentLength) }
        guard HeadWriter.appendForwardedFields(of: head.fields, from: bytes, to: &fields, dropping: dropped) else {
            return false
        }
        var line = Array("HTTP/1.1 \(head.status) ".utf8)
        line += [UInt8](bytes.extracting(head.reason)) + [0x0D, 0x0A]
        func text(_ name: FieldName) -> [UInt8]? { head.field(name).map { [UInt8](bytes.extracting($0.value)) } }
        var tag = text(.etag) ?? []
        if tag.starts(with: "W/".utf8) { tag.removeFirst(2) }
        let isPublic = head.fields.contains {
            $0.id == .cacheControl && CacheDirectives.has("public", bytes.extracting($0.value))
        }
        draft = Draft(
            use: use, statusLine: line, fields: [UInt8](fields.unsafeBytes), hasContent: head.status != 204,
            validators: Validators(
                entityTag: tag, lastModified: text(.lastModified).flatMap { HTTPDate.parse($0.span) } ?? .max),
            age: text(.age).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0, varied: varied,
            isPublic: isPublic)
        return true
    }

    /// More of the body.
    func add(_ bytes: UnsafeRawBufferPointer) {
        guard let count = draft?.body.count else { return }
        if count + bytes.count > plan.settings.maxResponse {
            draft = nil
        } else {
            draft?.body.append(contentsOf: bytes)
        }
    }

    /// The response has come to its end.
    func finish(in kept: KeptResponses) {
        let maxSize = plan.settings.maxSize
        if isForbidden { return kept.drop(key, maxSize: maxSize) }
        guard let draft = draft.take() else { return }
        kept.keep(
            KeptResponse(
                draft.use.origin.address, isHead: isHead, statusLine: draft.statusLine, fields: draft.fields,
                body: draft.body, hasContent: draft.hasContent, validators: draft.validators, age: draft.age,
                varied: draft.varied),
            for: draft.isPublic ? key.withoutCredentials() : key, maxSize: maxSize)
    }

    /// Its end can be told from a connection that broke, it comes to one, and it is not too long.
    private func isWhole(_ head: borrowing ResponseHead) -> Bool {
        switch head.framing {
        case .untilClose, .tunnel: return false
        case .length(let length): return length <= UInt64(plan.settings.maxResponse)
        case .none, .chunked, .stream: return true
        }
    }

    /// Events are news, which are none when they come again.
    private func isEventStream(_ head: borrowing ResponseHead, _ bytes: Span<UInt8>) -> Bool {
        head.field(.contentType).map {
            String(bytes.extracting($0.value)).lowercased().hasPrefix("text/event-stream")
        } ?? false
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
