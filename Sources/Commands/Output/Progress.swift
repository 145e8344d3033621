import Dispatch
import Platform

/// How far a long piece of work is, in one line of a terminal, with its rate and the time left; silent elsewhere, and
/// for work of less than a second.
struct Progress {
    enum Unit {
        case bytes
        /// In the plural.
        case things(String)
    }

    private static let second: UInt64 = 1_000_000_000
    private static let interval = second / 5

    private let unit: Unit
    /// Asked once, when there is something to show: it may take a while itself.
    private let findTotal: () -> Int64?
    private var total: Int64??
    private let isShown: Bool
    private let start = DispatchTime.now().uptimeNanoseconds
    private var last: UInt64
    private var hasShown = false

    /// - Parameter total: nil where it is not known.
    init(_ unit: Unit, total: @escaping () -> Int64?) {
        self.unit = unit
        findTotal = total
        isShown = Terminal.isTerminal(2) && Terminal.variable("TERM") != "dumb"
        last = start + Self.second - Self.interval
    }

    /// - Parameter descriptor: what is read; only a file has a size.
    init(reading descriptor: CInt) {
        self.init(.bytes) {
            var facts = stat()
            let isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            return isFile && facts.st_size > 0 ? Int64(facts.st_size) : nil
        }
    }

    /// - Parameter more: what is said behind the figures, where they are shown.
    mutating func show(_ count: Int64, more: () -> String = { "" }) {
        guard isShown else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now >= last + Self.interval else { return }
        last = now
        hasShown = true
        if total == nil { total = .some(findTotal()) }
        Terminal.error("\r\(text(count, after: now - start))\(more())\u{1B}[K")
    }

    /// Removes the line.
    mutating func end() {
        if hasShown { Terminal.error("\r\u{1B}[K") }
        hasShown = false
    }

    /// The same where the next line of the result would stand in it.
    mutating func makeRoom(isJSON: Bool) { if !isJSON, Terminal.isTerminal(1) { end() } }

    private func text(_ count: Int64, after time: UInt64) -> String {
        let perSecond = Double(count) / (Double(time) / Double(Self.second))
        let all = (total ?? nil).map { max($0, count) }
        var text: String
        switch unit {
        case .bytes:
            text = "\(count >> 20)" + (all.map { " of \($0 >> 20)" } ?? "") + " MiB"
            text += Self.share(count, all) + ", \(Self.short(perSecond / 1_048_576)) MiB/s"
        case .things(let name):
            text = "\(count)" + (all.map { " of \($0)" } ?? "") + " \(name)"
            text += Self.share(count, all) + ", \(Self.short(perSecond))/s"
        }
        if let all, perSecond > 0 {
            text += ", \(Words.span(Int64((Double(all - count) / perSecond).rounded(.up)))) left"
        }
        return text
    }

    private static func share(_ count: Int64, _ all: Int64?) -> String {
        all.map { $0 > 0 ? " (\(Int(Double(count) * 100 / Double($0))) %)" : "" } ?? ""
    }

    /// Two digits for small numbers, no fraction for others.
    private static func short(_ value: Double) -> String {
        value < 10 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    }

    /// The seconds that a call takes which tells nothing meanwhile.
    static func ticking<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
        guard Terminal.isTerminal(2), Terminal.variable("TERM") != "dumb" else { return try await body() }
        let ticking = Task {
            var seconds = 0
            while true {
                do { try await Task.sleep(for: .seconds(1)) } catch { break }
                seconds += 1
                Terminal.error("\r\(what), \(Words.span(seconds))\u{1B}[K")
            }
            if seconds > 0 { Terminal.error("\r\u{1B}[K") }
        }
        do {
            let value = try await body()
            ticking.cancel()
            await ticking.value
            return value
        } catch {
            ticking.cancel()
            await ticking.value
            throw error
        }
    }
}
