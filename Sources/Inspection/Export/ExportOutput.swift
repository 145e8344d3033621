import JSON

/// The output of an export, gathered to pieces of some 64 KiB.
public final class ExportOutput {
    private static let size = 1 << 16

    var json: JSONWriter
    let heads = KnownHeads()
    private var gathered: [UInt8] = []
    private let take: ([UInt8]) -> Bool

    /// - Parameter take: gets the next piece; false says that it could not take it, and ends the export.
    public init(_ take: @escaping ([UInt8]) -> Bool) {
        json = JSONWriter()
        self.take = take
    }

    /// Text in the writer is written first.
    func append(_ bytes: some Collection<UInt8>) throws(ExportFailure) {
        json.moveBytes(to: &gathered)
        gathered += bytes
        guard gathered.count >= Self.size else { return }
        try flush()
    }

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
