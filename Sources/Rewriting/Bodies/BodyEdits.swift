public import JSON
public import Patterns

/// What a route edits in bodies of one direction: JSON as a whole, and text while it streams.
public final class BodyEdits: Sendable {
    /// Bytes of a body of JSON, decoded; longer ones are not edited.
    public static let longest = 4 << 20

    let json: [JSONEdits]
    let text: [TextReplacement]
    private let types: [String]

    /// - Parameter types: in small letters, such as `application/json` or `text/*`; empty for the usual ones.
    public init(json: [JSONEdits], text: [TextReplacement], types: [String]) {
        (self.json, self.text, self.types) = (json, text, types)
    }

    /// The edits of a body of a type; nil where there are none.
    public func use(for contentType: Span<UInt8>) -> BodyEditing? {
        let isNamed = types.contains { BodyType.isIn($0, contentType) } && BodyType.isASCIICompatible(contentType)
        let isJSON = types.isEmpty ? BodyType.isJSON(contentType) : isNamed
        let isText = types.isEmpty ? BodyType.isRewritable(contentType) : isNamed
        let use = BodyEditing(json: isJSON ? json : [], text: isText ? text : [])
        return use.json.isEmpty && use.text.isEmpty ? nil : use
    }
}

/// The edits of one body, with what became of them.
public final class BodyEditing {
    let json: [JSONEdits]
    let text: [TextReplacement]
    /// Takes memory for so many bytes more; false where there is none.
    public var takesMemory: (Int) -> Bool = { _ in true }
    public internal(set) var hasChanged = false
    /// Why JSON was left as it is; nil where it was not.
    public internal(set) var obstacle: Obstacle?

    public enum Obstacle: Sendable {
        /// It is longer than ``BodyEdits/longest``, or there was no memory to hold it.
        case tooLong
        case notJSON
    }

    init(json: [JSONEdits], text: [TextReplacement]) { (self.json, self.text) = (json, text) }

    /// In the order in which they are made.
    var stages: [any BodyStage] {
        (json.isEmpty ? [] : [JSONEditor(self)]) + text.map { TextEditor($0, self) }
    }
}

/// The stage that holds a body of JSON until all of it is there, and edits it; what cannot be edited passes as it is.
private final class JSONEditor: BodyStage {
    private let use: BodyEditing
    private var held: [UInt8] = []
    private var given = 0
    /// All of ``held`` may go on.
    private var isDecided = false

    init(_ use: BodyEditing) { self.use = use }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        if !isDecided {
            if held.count + input.count <= BodyEdits.longest, use.takesMemory(input.count) {
                held.append(contentsOf: input)
                total.taken = input.count
            } else {
                use.obstacle = .tooLong
                isDecided = true
            }
        }
        if !isDecided, mode == .finish { edit() }
        guard isDecided else { return total }
        give(into: room, &total)
        if given == held.count {
            // What follows of a body that is too long.
            let rest = input.after(total.taken)
            let count = min(rest.count, room.count - total.given)
            room.after(total.given).copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
            total.taken += count
            total.given += count
        }
        total.isFinished = mode == .finish && given == held.count && total.taken == input.count
        return total
    }

    private func edit() {
        isDecided = true
        // Responses to HEAD have none.
        guard !held.isEmpty else { return }
        do throws(JSONFailure) {
            guard let edited = try JSONEdits.apply(use.json, to: held) else { return }
            held = edited
            use.hasChanged = true
        } catch {
            use.obstacle = .notJSON
        }
    }

    private func give(into room: UnsafeMutableRawBufferPointer, _ total: inout StageProgress) {
        let count = min(held.count - given, room.count)
        guard count > 0 else { return }
        held.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<given + count]))
        }
        given += count
        total.given = count
        guard given == held.count else { return }
        (held, given) = ([], 0)
    }
}

/// The stage that makes one replacement.
private final class TextEditor: QueueingStage {
    private let use: BodyEditing
    private var replacer: TextReplacer
    var queue = StageQueue()
    var isAtEnd = false

    init(_ replacement: TextReplacement, _ use: BodyEditing) { (replacer, self.use) = (TextReplacer(replacement), use) }

    func look(_ bytes: Span<UInt8>, isLast: Bool) {
        bytes.withUnsafeBytes { replacer.feed($0, isLast: isLast, into: &queue.bytes) }
        if replacer.count > 0 { use.hasChanged = true }
    }
}

extension BodyEdits {
    /// A text message after the edits; nil where it stays as it is.
    public func edited(message: [UInt8]) -> [UInt8]? {
        let use = BodyEditing(json: json, text: text)
        guard let edited = BodyRewriter(nil, Span(), editing: use)?.whole(message), use.hasChanged else { return nil }
        return edited
    }

    /// What became of a whole body.
    public enum Result: Sendable {
        case unchanged
        case changed([UInt8])
        case obstacle(BodyEditing.Obstacle)
    }

    /// A whole body after the edits; it stays as it is where its codings cannot be undone.
    public func edited(_ body: [UInt8], contentType: Span<UInt8>, contentEncoding: Span<UInt8>) -> Result {
        guard let use = use(for: contentType),
            let rewriter = BodyRewriter(nil, contentEncoding, editing: use)
        else { return .unchanged }
        guard let edited = rewriter.whole(body) else { return .unchanged }
        if use.hasChanged { return .changed(edited) }
        return use.obstacle.map { .obstacle($0) } ?? .unchanged
    }
}
