import Bytes
import Exchanges

/// One of the bodies that an exchange may have: the client's, and the origin's where Shunt has changed it.
enum StoredBody: Int64, CaseIterable {
    // The kinds of sections that have them.
    case request = 4
    case response = 8
    case originRequest = 512
    case originResponse = 1024

    init(_ side: BodySide, _ end: BodyEnd) {
        switch (side, end) {
        case (.request, .client): self = .request
        case (.response, .client): self = .response
        case (.request, .origin): self = .originRequest
        case (.response, .origin): self = .originResponse
        }
    }
}

/// Something for each of an exchange's bodies.
struct PerBody<Value: Equatable & Sendable>: Equatable, Sendable {
    var request, response, originRequest, originResponse: Value

    init(_ make: (StoredBody) -> Value) {
        (request, response) = (make(.request), make(.response))
        (originRequest, originResponse) = (make(.originRequest), make(.originResponse))
    }

    subscript(body: StoredBody) -> Value {
        get {
            switch body {
            case .request: request
            case .response: response
            case .originRequest: originRequest
            case .originResponse: originResponse
            }
        }
        set {
            switch body {
            case .request: request = newValue
            case .response: response = newValue
            case .originRequest: originRequest = newValue
            case .originResponse: originResponse = newValue
            }
        }
    }
}

/// An exchange's part of a ``Frame``: where its heads, bodies and messages lie in the frame's bytes.
///
/// An exchange begins in one frame; what comes later stands in sections of later frames, or of the same one.
struct FrameSection: Sendable {
    /// What a section has, in its first number.
    struct Kinds: OptionSet, Sendable {
        let rawValue: Int64
        static let requestHeads = Kinds(rawValue: 1)
        static let responseHeads = Kinds(rawValue: 2)
        /// The exchange begins here.
        static let begins = Kinds(rawValue: 16)
        /// Nothing of it stands elsewhere.
        static let isWhole = Kinds(rawValue: 32)
        static let state = Kinds(rawValue: 64)
        /// Trailers, and heads that came in an unusual order.
        static let otherHeads = Kinds(rawValue: 128)
        static let messages = Kinds(rawValue: 256)
        /// The state has something of the bodies at the origin's end.
        static let originState = Kinds(rawValue: 2048)
        static let heads: Kinds = [.requestHeads, .responseHeads, .otherHeads]

        static func body(_ body: StoredBody) -> Kinds { Kinds(rawValue: body.rawValue) }
    }

    /// More of a body.
    struct Body: Equatable, Sendable {
        var place = 0..<0
        /// Its index among the frame's shared bodies, which stand elsewhere; its place then begins at 0.
        var shared: Int?
    }

    /// What is known of a body when the section ends.
    struct BodyState: Equatable, Sendable {
        var flags: BodyTrack.Flags = []
        var kept = 0
    }

    typealias State = PerBody<BodyState>

    struct Message: Sendable {
        var facts: MessageFacts
        var isDropped = false
        var event: Range<Int>?
        var eventID: Range<Int>?
        var bytes: Range<Int>?
    }

    private(set) var kinds: Kinds = []
    var requestHeads = 0..<0
    var responseHeads = 0..<0
    var otherHeads = 0..<0
    private var bodies = PerBody { _ in Body() }
    /// nil where it follows from what the section has.
    var state: State?
    var firstMessage: Int64 = 0
    var messages: [Message] = []

    var begins: Bool {
        get { kinds.contains(.begins) }
        set { set(.begins, newValue) }
    }
    var isWhole: Bool {
        get { kinds.contains(.isWhole) }
        set { set(.isWhole, newValue) }
    }

    /// The state where none is written, which is that of an exchange without anything special.
    var plainState: State { State { BodyState(kept: bodies[$0].place.count) } }

    private mutating func set(_ kind: Kinds, _ isThere: Bool) {
        if isThere { kinds.insert(kind) } else { kinds.remove(kind) }
    }

    subscript(body: StoredBody) -> Body {
        get { bodies[body] }
        set { bodies[body] = newValue }
    }

    /// Adds the section to a directory, with the kinds that it has.
    mutating func append(to out: inout [UInt8]) {
        set(.requestHeads, !requestHeads.isEmpty)
        set(.responseHeads, !responseHeads.isEmpty)
        set(.otherHeads, !otherHeads.isEmpty)
        for body in StoredBody.allCases { set(.body(body), !self[body].place.isEmpty) }
        set(.state, state != nil)
        set(.originState, state.map { $0.originRequest != BodyState() || $0.originResponse != BodyState() } ?? false)
        set(.messages, !messages.isEmpty)
        func add(_ number: Int) { LEB128.append(UInt64(clamping: number), to: &out) }
        func add(_ place: Range<Int>) {
            add(place.lowerBound)
            add(place.count)
        }
        func add(_ body: Body) {
            add((body.shared ?? body.place.lowerBound) << 1 | (body.shared == nil ? 0 : 1))
            add(body.place.count)
        }
        add(Int(kinds.rawValue))
        if kinds.contains(.requestHeads) { add(requestHeads) }
        if kinds.contains(.responseHeads) { add(responseHeads) }
        if kinds.contains(.otherHeads) { add(otherHeads) }
        for body in StoredBody.allCases where kinds.contains(.body(body)) { add(self[body]) }
        if let state {
            let bodies = StoredBody.allCases.prefix(kinds.contains(.originState) ? 4 : 2)
            add(Int(bodies.reversed().reduce(0) { $0 << 4 | state[$1].flags.rawValue }))
            for body in bodies { add(state[body].kept) }
        }
        guard !messages.isEmpty else { return }
        add(Int(firstMessage))
        add(messages.count)
        for message in messages { message.append(to: &out) }
    }

    /// Reads a section, and goes to the next one; nil for bytes that are none.
    init?(_ rest: inout ArraySlice<UInt8>, of frame: Int) {
        func fits(_ start: Int, _ count: Int) -> Range<Int>? {
            start <= frame && count <= frame - start ? start..<start + count : nil
        }
        func nextPlace() -> Range<Int>? {
            guard let start = LEB128.read(&rest), let count = LEB128.read(&rest) else { return nil }
            return fits(start, count)
        }
        func nextBody() -> Body? {
            guard let start = LEB128.read(&rest), let count = LEB128.read(&rest) else { return nil }
            if start & 1 == 1 { return Body(place: 0..<count, shared: start >> 1) }
            return fits(start >> 1, count).map { Body(place: $0) }
        }
        guard let known = LEB128.read(&rest) else { return nil }
        kinds = Kinds(rawValue: Int64(known))
        for kind in [Kinds.requestHeads, .responseHeads, .otherHeads] where kinds.contains(kind) {
            guard let place = nextPlace() else { return nil }
            switch kind {
            case .requestHeads: requestHeads = place
            case .responseHeads: responseHeads = place
            default: otherHeads = place
            }
        }
        for body in StoredBody.allCases where kinds.contains(.body(body)) {
            guard let found = nextBody() else { return nil }
            self[body] = found
        }
        if kinds.contains(.state) {
            guard var flags = LEB128.read(&rest) else { return nil }
            var known = State { _ in BodyState() }
            for body in StoredBody.allCases.prefix(kinds.contains(.originState) ? 4 : 2) {
                guard let kept = LEB128.read(&rest) else { return nil }
                known[body] = BodyState(flags: BodyTrack.Flags(rawValue: Int64(flags & 15)), kept: kept)
                flags >>= 4
            }
            state = known
        }
        guard kinds.contains(.messages) else { return }
        guard let first = LEB128.read(&rest), let count = LEB128.read(&rest), first < Int.max / 2 else { return nil }
        firstMessage = Int64(first)
        for _ in 0..<count {
            guard let message = Message(&rest, fits) else { return nil }
            messages.append(message)
        }
    }

    init() {}
}

extension FrameSection.Message {
    private static let (isCut, isUndecodable, isDropped) = (1, 2, 4)
    private static let (hasEvent, hasEventID, hasBytes, isInjected) = (8, 16, 32, 64)
    private static let (isWithheld, isEdited) = (128, 256)

    fileprivate func append(to out: inout [UInt8]) {
        func add(_ number: Int) { LEB128.append(UInt64(clamping: number), to: &out) }
        var flags = 0
        if facts.isCut { flags |= Self.isCut }
        if facts.isUndecodable { flags |= Self.isUndecodable }
        if isDropped { flags |= Self.isDropped }
        if facts.isInjected { flags |= Self.isInjected }
        if facts.isWithheld { flags |= Self.isWithheld }
        if facts.isEdited { flags |= Self.isEdited }
        if event != nil { flags |= Self.hasEvent }
        if eventID != nil { flags |= Self.hasEventID }
        if bytes != nil { flags |= Self.hasBytes }
        add(flags)
        add(Int(clamping: facts.time))
        add((MessageFacts.Kind.allCases.firstIndex(of: facts.kind) ?? 0) << 1 | (facts.sender == .origin ? 1 : 0))
        add(Int(clamping: facts.length))
        for place in [event, eventID, bytes] {
            guard let place else { continue }
            add(place.lowerBound)
            add(place.count)
        }
    }

    fileprivate init?(_ rest: inout ArraySlice<UInt8>, _ place: (Int, Int) -> Range<Int>?) {
        guard let flags = LEB128.read(&rest), let time = LEB128.read(&rest), let kind = LEB128.read(&rest),
            let length = LEB128.read(&rest), kind >> 1 < MessageFacts.Kind.allCases.count
        else { return nil }
        facts = MessageFacts(
            time: Int64(time), sender: kind & 1 == 0 ? .client : .origin, kind: MessageFacts.Kind.allCases[kind >> 1],
            length: Int64(length))
        facts.isCut = flags & Self.isCut != 0
        facts.isUndecodable = flags & Self.isUndecodable != 0
        isDropped = flags & Self.isDropped != 0
        facts.isInjected = flags & Self.isInjected != 0
        facts.isWithheld = flags & Self.isWithheld != 0
        facts.isEdited = flags & Self.isEdited != 0
        func next(_ flag: Int) -> Range<Int>? {
            guard flags & flag != 0, let start = LEB128.read(&rest), let count = LEB128.read(&rest) else { return nil }
            return place(start, count)
        }
        event = next(Self.hasEvent)
        eventID = next(Self.hasEventID)
        bytes = next(Self.hasBytes)
    }
}
