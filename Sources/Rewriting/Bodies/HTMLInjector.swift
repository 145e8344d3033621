import Bytes

/// The stage that puts HTML into pages: in front of the page's own scripts, of the head's end, and of the body's.
///
/// Where the tags of a head are left out, it ends as browsers say (HTML 13.2.6.4.4): with the first element or text
/// that has no place in it. A body without a sign of being a document stays as it is: it is a part that a script asked
/// for.
final class HTMLInjector: QueueingStage {
    /// A body without a sign of a document in so many bytes is not a page.
    private static let sniffLimit = 64 * 1024
    /// Elements that have their place in a head.
    private static let headNames: Set<String> = [
        "base", "basefont", "bgsound", "link", "meta", "title", "style", "script", "noscript", "noframes", "template",
    ]

    /// Something was put in.
    private(set) var hasInjected = false

    private enum Phase {
        case head, body
        /// All else passes as it is.
        case off
    }

    private let use: InjectionUse
    private let bodyHTML: [UInt8]
    private var phase = Phase.head
    /// What goes in front of the page's own scripts is in its place.
    private var isStarted = false
    /// The tag `<head>` is on its way.
    private var isInHeadTag = false
    private var isDocument = false
    private var tokens = HTMLTokens()
    /// How many template elements are open, whose tags say nothing of the page.
    private var templates = 0
    private var seen = 0
    var isAtEnd = false
    var queue = StageQueue()

    init(_ use: InjectionUse) {
        self.use = use
        bodyHTML = use.body
    }

    func look(_ bytes: Span<UInt8>, isLast: Bool) {
        look(bytes)
        if isLast { end() }
    }

    private func look(_ bytes: Span<UInt8>) {
        var at = 0
        while phase != .off, let event = tokens.next(bytes, &at) {
            switch event {
            case .text(let range):
                if isInHeadTag { putStart() }
                if !range.isEmpty { judge(text: bytes, range) }
                pass(bytes, range)
            case .other(let range): pass(bytes, range)
            case .heldText:
                endHead()
                queue += tokens.takeHeld()
            case .heldOther: queue += tokens.takeHeld()
            case .heldTag: passMeta(tokens.takeHeld())
            case .tag(let name, let isEnd):
                judge(name, isEnd: isEnd)
                if name == "meta", !isEnd, phase == .head { tokens.holdTag() } else { queue += tokens.takeHeld() }
            }
        }
        if phase == .off {
            queue += tokens.takeHeld()
            pass(bytes, at..<bytes.count)
        }
        seen += bytes.count
        if !isDocument, seen > Self.sniffLimit, phase != .off {
            phase = .off
            queue += tokens.takeHeld()
        }
    }

    private func pass(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        bytes.extracting(range).withUnsafeBytes { queue += $0 }
    }

    /// Text ends a head, unless it is white space or a byte order mark.
    private func judge(text bytes: Span<UInt8>, _ range: Range<Int>) {
        guard phase == .head, templates == 0 else { return }
        for index in range where !ByteSearch.isSpace(bytes[index]) && bytes[index] != 0x0C {
            if seen + index < 3, [0xEF, 0xBB, 0xBF].contains(bytes[index]) { continue }
            return endHead()
        }
    }

    private func judge(_ name: String, isEnd: Bool) {
        if phase == .head, isDocument, templates == 0, !isEnd, Self.headNames.contains(name) { putStart() }
        if name == "template" { templates = max(0, templates + (isEnd ? -1 : 1)) }
        guard templates == 0 else { return }
        switch (phase, name, isEnd) {
        case (.head, "!doctype", _), (.head, "html", false): isDocument = true
        case (.head, "head", false):
            isDocument = true
            // Text follows a tag at once, even if there is none of it.
            isInHeadTag = !isStarted
        case (.head, "body", false), (.head, "frameset", false):
            isDocument = true
            endHead()
        case (.head, "head", true): endHead()
        case (.head, "body", true), (.head, "html", true):
            endHead()
            endBody()
        case (.head, _, false): if !Self.headNames.contains(name) { endHead() }
        case (.body, "body", true), (.body, "html", true): endBody()
        default: break
        }
    }

    private func endHead() {
        guard phase == .head, templates == 0 else { return }
        guard isDocument else {
            phase = .off
            return
        }
        putStart()
        put(use.head)
        phase = bodyHTML.isEmpty ? .off : .body
    }

    private func endBody() {
        guard phase == .body else { return }
        put(bodyHTML)
        phase = .off
    }

    private func putStart() {
        isInHeadTag = false
        guard !isStarted else { return }
        isStarted = true
        put(use.start)
    }

    private func put(_ html: [UInt8]) {
        guard !html.isEmpty else { return }
        queue += html
        hasInjected = true
    }

    /// The page has ended, maybe within its head.
    private func end() {
        queue += tokens.takeHeld()
        guard tokens.isInText, templates == 0 else { return }
        endHead()
        endBody()
    }

    /// A meta element in the head: if it is a policy, it has to allow what is put in.
    private func passMeta(_ tag: [UInt8]) {
        switch MetaPolicy(tag)?.allowing(use) {
        case nil: queue += tag
        case .same?: queue += tag
        case .changed(let other)?: queue += other
        case .unreadable?:
            // It holds for what follows it.
            endHead()
            queue += tag
        }
    }
}
