import JSON

/// The output of an export, gathered to pieces.
public final class ExportOutput {
    private let size: Int

    var json: JSONWriter
    let heads = KnownHeads()
    let contents = KnownContents()
    private var gathered: [UInt8] = []
    private let take: ([UInt8]) -> Bool

    /// By which messages of gRPC calls are written as JSON, too.
    let calls: CallSchemas

    /// - Parameters:
    ///   - size: bytes that a piece has at least, but for the last one.
    ///   - take: gets the next piece; false says that it could not take it, and ends the export.
    public init(size: Int = 1 << 16, calls: CallSchemas = .none, _ take: @escaping ([UInt8]) -> Bool) {
        json = JSONWriter()
        self.calls = calls
        (self.size, self.take) = (size, take)
    }

    /// Text in the writer is written first.
    func append(_ bytes: some Collection<UInt8>) throws(ExportFailure) {
        json.moveBytes(to: &gathered)
        gathered += bytes
        guard gathered.count >= size else { return }
        try flush()
    }

    /// Bytes that wait, without the text in the writer.
    var gatheredCount: Int { gathered.count }

    /// Puts bytes behind the gathered ones, without sending any on; there is no text in the writer.
    func gather(_ bytes: some Collection<UInt8>) { gathered += bytes }

    /// Takes back gathered bytes.
    func drop(behind count: Int) { gathered.removeLast(gathered.count - count) }

    /// A comma and the end of the line, between two entries.
    func endEntry() {
        json.raw(EmptyCollection())
        json.endLine()
    }

    /// Sends on what the writer has, if that is worth while.
    func settle() throws(ExportFailure) { try append(EmptyCollection()) }

    func flush() throws(ExportFailure) {
        json.moveBytes(to: &gathered)
        guard !gathered.isEmpty else { return }
        guard take(gathered) else { throw .output }
        gathered.removeAll(keepingCapacity: true)
    }
}
