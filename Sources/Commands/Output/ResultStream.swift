import Admin
import Platform

/// Standard output for results of any length: in large pieces, and quiet when the reader has closed the pipe.
final class ResultStream {
    private var waiting: [UInt8] = []
    private var failure: CInt?

    private static let limit = 64 << 10

    private let pager: Pager?
    /// Everything so far fits the screen, and waits.
    private var isHeld: Bool

    /// - Parameter pager: shows what is longer than the terminal.
    init(pager: Pager? = nil) {
        self.pager = pager
        isHeld = pager != nil
        // The error of the call says it, too, and does not end the process.
        signal(SIGPIPE, SIG_IGN)
    }

    var isTerminal: Bool { Terminal.isTerminal(1) }

    /// Whether writing on is of no use.
    var isClosed: Bool { failure != nil || Task.isCancelled }

    func write(_ bytes: some Sequence<UInt8>) {
        let before = waiting.count
        waiting.append(contentsOf: bytes)
        if isHeld, let pager, pager.count(waiting[before...]) {
            isHeld = false
            pager.start()
        }
        if !isHeld, waiting.count >= Self.limit { flush() }
    }

    func write(line: String) {
        write(line.utf8)
        write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    func flush() {
        isHeld = false
        if failure == nil {
            let isWritten =
                if let pager { Files.writeAll(waiting, to: pager.descriptor) } else { Terminal.write(waiting, to: 1) }
            if !isWritten { failure = errno }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Waits so many milliseconds; ends early, and closes the stream, when the reader closes it.
    func pause(_ milliseconds: CInt) {
        var output = pollfd(fd: 1, events: 0, revents: 0)
        if poll(&output, 1, milliseconds) > 0, output.revents != 0 { failure = failure ?? EPIPE }
    }

    /// Writes the buffered bytes.
    ///
    /// Throws if they could not be written, unless the reader has closed the pipe.
    func finish() throws {
        flush()
        pager?.finish()
        try Terminal.finish()
    }
}
