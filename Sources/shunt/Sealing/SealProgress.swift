import Dispatch
import Platform

/// How far a long piece of work is, in one line of a terminal; silent elsewhere.
struct SealProgress {
    private static let interval: UInt64 = 200_000_000

    private let total: Int64?
    private let isShown: Bool
    private var last = DispatchTime.now().uptimeNanoseconds
    private var hasShown = false

    /// - Parameter descriptor: what is read; only a file has a size.
    init(_ descriptor: CInt) {
        var facts = stat()
        let isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        total = isFile && facts.st_size > 0 ? Int64(facts.st_size) : nil
        isShown = isatty(2) == 1
    }

    mutating func show(_ count: Int) {
        guard isShown else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - last >= Self.interval else { return }
        last = now
        hasShown = true
        let share = total.map { " of \($0 >> 20) MiB (\(Int64(count) * 100 / $0) %)" } ?? " MiB"
        Terminal.error("\r\(count >> 20)\(share)\u{1B}[K")
    }

    /// Removes the line.
    func end() {
        if hasShown { Terminal.error("\r\u{1B}[K") }
    }
}
