import Platform

/// Lines of a descriptor, without their ends.
struct LineReader {
    static let maxLine = 64 << 10
    private let descriptor: CInt
    private let maxLine: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var hasEnded = false

    /// - Parameter maxLine: bytes of a line at most; a longer one is an error (`EFBIG`).
    init(_ descriptor: CInt, maxLine: Int = LineReader.maxLine) {
        (self.descriptor, self.maxLine) = (descriptor, maxLine)
    }

    /// nil at the end.
    mutating func next() throws(FileFailure) -> [UInt8]? {
        while true {
            if let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return line(to: end)
            }
            if hasEnded {
                defer { start = bytes.count }
                return start < bytes.count ? line(to: bytes.count) : nil
            }
            bytes.removeFirst(start)
            start = 0
            guard bytes.count <= maxLine else { throw FileFailure("a line of the input", "read", code: EFBIG) }
            try fill()
        }
    }

    /// Goes on behind the next line end, or to the end of the input: for a line that was too long.
    mutating func skipLine() throws(FileFailure) {
        while !hasEnded {
            if let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                start = end + 1
                return
            }
            (bytes, start) = ([], 0)
            try fill()
        }
        start = bytes.count
    }

    private func line(to end: Int) -> [UInt8] {
        let last = end > start && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
        return Array(bytes[start..<last])
    }

    private mutating func fill() throws(FileFailure) {
        var chunk = [UInt8](repeating: 0, count: Self.maxLine)
        let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { throw FileFailure("the input", "read") }
        if count == 0 { hasEnded = true }
        if count > 0 { bytes += chunk[..<count] }
    }

    /// The line ends of a file, from its beginning; nil for what cannot be read twice.
    func countLines() -> Int64? {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var (chunk, count, offset) = ([UInt8](repeating: 0, count: Self.maxLine), Int64(0), off_t(0))
        while true {
            let size = chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            guard size > 0 else { return count }
            for byte in chunk[..<size] where byte == UInt8(ascii: "\n") { count += 1 }
            offset += off_t(size)
        }
    }
}
