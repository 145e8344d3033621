import Bytes

/// Takes lines for people one by one, and says when there are enough.
public final class LineSink {
    private let write: (String) -> Void
    private let limit: Int
    private let width: Int
    private var count = 0
    private var skipped = 0
    private let first: Int
    /// In front of each line.
    var indent = ""

    /// Lines, or the ends of some, were left out.
    public private(set) var isCut = false
    /// Lines were left out: no more are taken.
    public private(set) var isOver = false

    /// - Parameter first: lines that are left out in front of them.
    /// - Parameter limit: lines that are taken at most.
    /// - Parameter width: characters of a line that are taken at most.
    public init(from first: Int = 0, limit: Int = .max, width: Int = .max, _ write: @escaping (String) -> Void) {
        (self.first, self.limit, self.width, self.write) = (first, limit, width, write)
    }

    /// Adds one line, control characters replaced.
    public func add(_ text: some StringProtocol) { add(bytes: text.utf8) }

    /// Adds one line of UTF-8, control characters replaced.
    func add(bytes: some Collection<UInt8>) {
        guard skipped >= first else {
            skipped += 1
            return
        }
        guard count < limit else {
            (isCut, isOver) = (true, true)
            return
        }
        count += 1
        // Of a line of megabytes only that is decoded which is shown; no character takes more than four bytes.
        let (limit, size) = (width.multipliedReportingOverflow(by: 4), bytes.count)
        // A prefix of `.max` bytes is beyond the indices of a substring.
        let text = PlainText.line(bytes.prefix(limit.overflow ? size : min(size, limit.partialValue)))
        guard size > width, text.count > width else { return write(indent + text) }
        isCut = true
        write(indent + text.prefix(width) + "…")
    }

    /// Lets `body` add lines that stand further to the right.
    @discardableResult
    public func indented<Result>(_ body: () -> Result) -> Result {
        indent += "  "
        defer { indent.removeLast(2) }
        return body()
    }
}
