import Dispatch
import JSON
import Store
import Synchronization

/// Renders entries of an archive on threads of its own, each with a reader of its own, and writes them in order.
///
/// Parts are rendered ahead of the one that is written, a few of them, each into bounded memory.
final class HARRenderers: Sendable {
    private struct Job {
        let ids: ArraySlice<Int64>
        let part: RenderedPart
    }

    private let file: String
    private let threads: Int
    private let calls: CallSchemas
    /// nil when there will be no more.
    private let jobs = Mutex<[Job]?>([])
    private let hasJob = DispatchSemaphore(value: 0)
    private let group = DispatchGroup()

    init(_ file: String, _ threads: Int, _ calls: CallSchemas) {
        (self.file, self.threads, self.calls) = (file, threads, calls)
        // A queue of its own is a thread of its own, whatever else waits in Dispatch's pool.
        for _ in 0..<threads { DispatchQueue(label: "archive").async(group: group) { self.run() } }
    }

    func write(
        _ cursor: ExportCursor, to output: ExportOutput, _ told: (_ exchanges: Int) -> Void
    ) throws(ExportFailure) -> ExportSummary {
        var summary = ExportSummary()
        var ahead: [RenderedPart] = []
        defer { end(ahead) }
        try cursor.eachPart { ids throws(ExportFailure) in
            let part = RenderedPart()
            ahead.append(part)
            jobs.withLock { $0?.append(Job(ids: ids, part: part)) }
            hasJob.signal()
            if ahead.count > threads * 3 { try Self.write(ahead.removeFirst(), to: output, &summary, told) }
        }
        while !ahead.isEmpty { try Self.write(ahead.removeFirst(), to: output, &summary, told) }
        return summary
    }

    private static func write(
        _ part: RenderedPart, to output: ExportOutput, _ summary: inout ExportSummary,
        _ told: (_ exchanges: Int) -> Void
    ) throws(ExportFailure) {
        // What was rendered already is of no use when another part of it cannot be written.
        defer { part.cancel() }
        var hasBegun = false
        while let bytes = try part.take() {
            if !hasBegun, summary.exchanges > 0 { output.endEntry() }
            try output.append(bytes)
            // The next entry needs a comma in front of it.
            if !hasBegun { output.json.raw(EmptyCollection()) }
            hasBegun = true
        }
        summary += part.summary
        told(summary.exchanges)
    }

    /// Waits for the threads: no reader of the store stays behind.
    private func end(_ parts: [RenderedPart]) {
        for part in parts { part.cancel() }
        jobs.withLock { $0 = nil }
        for _ in 0..<threads { hasJob.signal() }
        group.wait()
    }

    private func next() -> Job? {
        hasJob.wait()
        return jobs.withLock { jobs in jobs?.isEmpty == false ? jobs?.removeFirst() : nil }
    }

    private func run() {
        var reader: TrafficReader?
        while let job = next() {
            do throws(ExportFailure) {
                let own = if let reader { reader } else { try open() }
                reader = own
                let output = ExportOutput(calls: calls, job.part.give)
                var summary = ExportSummary()
                try HARExport.write(job.ids, own, to: output, &summary)
                try output.flush()
                job.part.end(.success(summary))
            } catch {
                job.part.end(.failure(error))
            }
        }
    }

    private func open() throws(ExportFailure) -> TrafficReader {
        try stored { () throws(StoreFailure) in
            let reader = try TrafficReader(file)
            try reader.keepLittle()
            return reader
        }
    }
}
