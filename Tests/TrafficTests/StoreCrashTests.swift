import Foundation
import Store
import TestSupport
import Testing

/// Processes of their own that write into a store, and come to no good.
@Suite struct StoreCrashTests {
    private static let writer = ShuntBinary.built("StoreWriter")

    @Test func `whatever moment the process is killed at, what was acknowledged is there`() async throws {
        let bench = try StoreBench()
        try FileManager.default.createDirectory(
            atPath: bench.folder.path + "/.shunt", withIntermediateDirectories: true)
        try await blocking {
            for round in 1...8 {
                let child = try ChildProcess(Self.writer, ["acknowledge", bench.path])
                let enough = round * 37
                #expect(eventually { child.output.utf8.count > enough * 4 }, "\(child.output) \(child.errors)")
                child.signal(SIGKILL)
                _ = try child.wait()
                let lines = child.output.split(separator: "\n", omittingEmptySubsequences: false)
                // The last line may have been cut short.
                let acknowledged = lines.dropLast().compactMap { Int64($0) }
                #expect(acknowledged.count == lines.count - 1 && acknowledged.count > 5)

                // Whoever reads first may not write, and recovers nothing by itself.
                let reader = try TrafficReader(bench.path)
                #expect(try reader.damages() == [])
                for id in acknowledged {
                    let record = try #require(try reader.record(id), "\(id) was acknowledged in round \(round)")
                    #expect(record.summary.isEnded && record.requestBody.kept == 1024)
                    #expect(try reader.whole(id, .response).bytes.count == 1024)
                }
            }
        }
        let reader = try TrafficReader(bench.path)
        let running = StoreCondition("ended = 0")
        #expect(try reader.count(where: running) > 0)
        try bench.open().finish()
        #expect(try reader.count(where: running) == 0)
        #expect(try reader.count(where: StoreCondition("error LIKE 'broken off%'")) > 0)
    }

    @Test func `a full disk costs what does not fit into the queue, is told once, and passes`() async throws {
        let bench = try StoreBench()
        let result = try await blocking {
            try ChildProcess.run(Self.writer, ["limit", bench.path, "\(3 << 20)"], seconds: 60)
        }
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0, "\(result)")
        #expect(lines.filter { $0.hasPrefix("began: ") }.count == 1, "\(lines)")
        #expect(lines.contains("dropped bodies: true") && lines.contains("dropped exchanges: true"))
        #expect(lines.contains("adds up: true"), "\(lines)")
        let waiting = try #require(lines.compactMap { $0.split(separator: ": ").last.flatMap { Int($0) } }.first)
        #expect(waiting <= 2 << 20 && waiting > 1 << 20)
        let reader = try TrafficReader(bench.path)
        #expect(try reader.damages() == [])
        let count = try reader.count()
        #expect(lines.contains("recorded: \(count)"))
    }
}
