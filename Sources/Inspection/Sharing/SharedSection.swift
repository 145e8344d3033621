/// One part of an exchange for people: a heading, and lines of bounded length.
package struct SharedSection {
    package struct Line {
        /// Removed or added by Shunt.
        package var sign = LineDifference.Sign.same
        package let text: String
        /// Why it was changed; nil where that is not known.
        package var reason: String?
    }

    /// A picture that browsers show, whole and small.
    package struct Picture {
        /// The media type.
        package let type: String
        package let bytes: [UInt8]
    }

    package let title: String
    package var lines: [Line] = []
    /// What is missing, in words.
    package var notes: [String] = []
    package var picture: Picture?

    var isEmpty: Bool { lines.isEmpty && notes.isEmpty && picture == nil }
}

/// How much of each section of an exchange is shown.
package struct SharedLimits: Sendable {
    package let lines: Int
    /// Characters of a line.
    package let width: Int
    /// Bytes of the text of a section.
    package let bytes: Int

    package init(lines: Int, width: Int, bytes: Int) { (self.lines, self.width, self.bytes) = (lines, width, bytes) }
}

/// Gathers lines of a section up to its limits.
final class SharedLines {
    private(set) var lines: [SharedSection.Line] = []
    private(set) var isCut = false
    private let limits: SharedLimits
    private var count = 0

    init(_ limits: SharedLimits) { self.limits = limits }

    /// Adds what `body` gives to a sink.
    func gather<Failure: Error>(_ body: (LineSink) throws(Failure) -> Void) throws(Failure) {
        let sink = LineSink(limit: limits.lines, width: limits.width) { self.add(SharedSection.Line(text: $0)) }
        try body(sink)
        isCut = isCut || sink.isCut
    }

    func add(_ line: SharedSection.Line) {
        let size = line.text.utf8.count + 1
        guard !isFull, count + size <= limits.bytes else {
            (isCut, count) = (true, limits.bytes)
            return
        }
        count += size
        lines.append(line)
    }

    /// No more lines are taken.
    var isFull: Bool { count >= limits.bytes || lines.count >= limits.lines }
}
