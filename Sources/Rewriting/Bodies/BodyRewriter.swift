/// Rewrites the absolute URLs in one body while it streams, makes a route's edits, and puts HTML into pages: an origin's
/// URLs become the client's.
///
/// Text is not parsed: an address is recognised by its scheme, slashes, host, port and path,
/// plain (`https://host`), escaped (`https:\/\/host`, `\u002F`) or percent-encoded (`https%3A%2F%2Fhost`). Without a
/// scheme (`//host`) it counts behind a quote, a backtick, `(`, `=`, `,`, `;`, white space or nothing.
///
/// Memory is bounded, independent of the decoded length. It is confined to one worker.
public final class BodyRewriter {
    /// The body is decoded, and encoded again with the same codings.
    public let decodes: Bool
    /// The last step stopped to let other tasks of its worker run: call again even if it left room.
    ///
    /// A few bytes may decode to gigabytes, and be a few again when encoded.
    public private(set) var isInterrupted = false
    /// How many addresses were replaced so far, and `integrity` attributes taken out.
    public var replacements: Int { (replacer?.replacements ?? 0) + (integrity?.removals ?? 0) }
    /// HTML was put into the page.
    public var hasInjected: Bool { injector?.hasInjected ?? false }
    /// The body differs so far from the one that came.
    public var hasChanged: Bool { replacements > 0 || hasInjected || editing?.hasChanged ?? gate?.hasChanged ?? false }
    /// Its gate takes no more bytes, and gives none.
    public var isFull: Bool { gate.map { $0.isFull && $0.ready.isEmpty } ?? false }
    /// Its gate gives no bytes until something else decides on those that it has.
    public var isBlocked: Bool { gate.map { $0.isWaiting && $0.ready.isEmpty } ?? false }
    /// What a route edits; nil for nothing.
    public let editing: BodyEditing?
    /// Lets the parts of the body go on; nil where they go on as they come.
    public let gate: (any BodyGate)?

    private let replacer: AddressReplacer?
    private let integrity: IntegrityRemover?
    private let injector: HTMLInjector?
    private let chain: any BodyStage

    /// A rewriter for one response's body, or nil if the body is to pass as it is.
    ///
    /// nil for a media type that is no text, for a charset in which ASCII text is not ASCII bytes, for content codings other than gzip, deflate, br and zstd or more than three of them, and for
    /// lack of memory. A 206 or a 304 is the caller's to leave alone (RFC 9110 15.3.7, 15.4.5).
    ///
    /// - Parameters:
    ///   - contentType: the value of Content-Type.
    ///   - contentEncoding: the value of Content-Encoding; several fields joined by commas; empty for none.
    ///   - map: nil where addresses stay.
    ///   - authority: as the client's request named it, which `client` describes.
    ///   - injection: what is put into the page; nil where the response is none.
    ///   - editing: what the route edits in a body of this type.
    ///   - gate: what parts of the decoded body go through.
    public static func make(
        contentType: Span<UInt8>, contentEncoding: Span<UInt8>, map: AddressMap?, authority: [UInt8],
        client: ClientName, injection: InjectionUse? = nil, editing: BodyEditing? = nil,
        gate: (any BodyGate)? = nil
    ) -> BodyRewriter? {
        let isText = BodyType.isRewritable(contentType)
        guard isText && (map != nil || injection != nil) || editing != nil || gate != nil else { return nil }
        let table = isText ? map.map { AddressTable(map: $0, authority: authority, client: client) } : nil
        return BodyRewriter(
            table, contentEncoding, removesIntegrity: table != nil && BodyType.isPage(contentType),
            injection: isText ? injection : nil, editing: editing, gate: gate)
    }

    /// nil for content codings that cannot be undone.
    init?(
        _ table: AddressTable?, _ contentEncoding: Span<UInt8>, removesIntegrity: Bool = false,
        injection: InjectionUse? = nil, editing: BodyEditing? = nil, gate: (any BodyGate)? = nil,
        encodes: Bool = true
    ) {
        guard let codings = ContentCoding.list(contentEncoding) else { return nil }
        replacer = table.map { AddressReplacer($0) }
        integrity = removesIntegrity ? IntegrityRemover() : nil
        injector = injection.map { HTMLInjector($0) }
        (self.editing, self.gate) = (editing, gate)
        decodes = !codings.isEmpty
        var stages: [any BodyStage] = []
        for coding in codings.reversed() {
            guard let decoder = coding.makeDecoder() else { return nil }
            stages.append(decoder)
        }
        if let replacer { stages.append(replacer) }
        if let integrity { stages.append(integrity) }
        // Behind them: what is put in stays as it is.
        if let editing { stages += editing.stages }
        if let gate { stages.append(GateStage(gate)) }
        if let injector { stages.append(injector) }
        for coding in encodes ? codings : [] {
            guard let encoder = coding.makeEncoder() else { return nil }
            stages.append(encoder)
        }
        chain = stages.count == 1 ? stages[0] : BodyChain(stages)
    }

    /// One whose bytes go through a gate, and stay as they are otherwise.
    public init(_ gate: any BodyGate) {
        (replacer, integrity, injector, editing, decodes) = (nil, nil, nil, nil, false)
        (self.gate, chain) = (gate, GateStage(gate))
    }

    /// A whole body rewritten; nil after a failure.
    public func whole(_ body: [UInt8]) -> [UInt8]? {
        var (result, taken, isFinished): ([UInt8], Int, Bool) = ([], 0, false)
        result.reserveCapacity(body.count)
        var room = [UInt8](repeating: 0, count: 16 << 10)
        while !isFinished {
            let progress = try? body.withUnsafeBytes { bytes in
                try room.withUnsafeMutableBytes { room in
                    try step(UnsafeRawBufferPointer(rebasing: bytes[taken...]), isLast: true, into: room)
                }
            }
            guard let progress else { return nil }
            taken += progress.taken
            result += room[..<progress.given]
            isFinished = progress.isFinished
        }
        return result
    }

    /// Reads a part of the body and writes a part of the rewritten one.
    ///
    /// Room left over says that all of the input was taken and that nothing more comes of it, unless
    /// ``isInterrupted`` says otherwise. A full room says: call again, with the rest of the input, maybe empty, and
    /// the same flags. After a failure it is not to be called again.
    ///
    /// - Parameters:
    ///   - isLast: nothing follows this input.
    ///   - flush: nothing may follow for long: all decided bytes are written, only the possible beginning of an address
    ///     stays.
    /// - Returns: bytes taken and given, and whether the rewritten body is complete.
    public func step(
        _ input: UnsafeRawBufferPointer, isLast: Bool, flush: Bool = false, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> (taken: Int, given: Int, isFinished: Bool) {
        let mode: StageMode = isLast ? .finish : flush ? .flush : .more
        let progress = try chain.run(input, mode, into: room)
        isInterrupted = progress.isInterrupted
        return (progress.taken, progress.given, progress.isFinished)
    }
}
