import Profiles

extension Arguments {
    func port(_ name: String) throws -> UInt16? {
        guard let text = text(name) else { return nil }
        guard let port = UInt16(text) else {
            throw UsageError("--\(name) “\(text)” is no port", advice: "Give a number from 0 (any free port) to 65535.")
        }
        return port
    }

    func count(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let count = Int(text), range.contains(count) else {
            throw UsageError(
                "--\(name) “\(text)” is not possible",
                advice: "Give a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return count
    }

    /// Nanoseconds.
    func duration(_ name: String, mayBeZero: Bool = false) throws -> UInt64? {
        guard let text = text(name) else { return nil }
        guard let duration = Quantity.duration(text), mayBeZero || duration > 0 else {
            throw UsageError(
                "--\(name) “\(text)” is no \(mayBeZero ? "" : "possible ")time",
                advice: "Write a number with its unit: 500ms, 15s, 2m or 1h.")
        }
        return duration
    }

    /// Whole seconds, rounded up.
    func seconds(_ name: String, atMost limit: Int) throws -> Int? {
        guard let time = try duration(name) else { return nil }
        let seconds = Int(clamping: (time - 1) / 1_000_000_000 + 1)
        guard seconds <= limit else {
            throw UsageError(
                "--\(name) “\(text(name) ?? "")” is too long",
                advice: "Give a time of at most \(limit < 3600 ? "\(limit / 60)m" : "\(limit / 3600)h").")
        }
        return seconds
    }

    /// Bytes.
    func size(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let size = Quantity.size(text), range.contains(size) else {
            let bounds = "from \(Quantity.sizeText(range.lowerBound)) to \(Quantity.sizeText(range.upperBound))"
            throw UsageError(
                "--\(name) “\(text)” is no possible size", advice: "Write bytes, or 16k, 1m, 2g; \(bounds).")
        }
        return size
    }
}
