import Foundation
import JSON
import TestSupport
import Testing

/// Nodes, and a database, whose wall clocks are minutes apart; by libfaketime.
@Suite(.postgres) struct ClusterClockTests {
    private static let library = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
        .map { $0 + "/faketime/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) }

    /// Only the wall clock is wrong: the steady one of a machine goes on from its start.
    private static func environment(_ offset: String) -> [String: String]? {
        library.map { ["LD_PRELOAD": $0, "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"] }
    }

    @Test(.extended, .enabled(if: library != nil, "libfaketime is not installed: run `make setup-test`"))
    func `an unlocking ends on time on nodes whose clocks are minutes off`() throws {
        let (ahead, behind) = try (#require(Self.environment("+7m")), #require(Self.environment("-7m")))
        let cluster = try ClusterNodes(nil, ["one"])
        // The library changes the environment of the first program that it is loaded into, where Swift then looks for
        // the arguments in vain: this is a shell.
        let folder = try TemporaryFolder()
        let program = try folder.write("start", "#!/bin/sh\nexec '\(ShuntBinary.path)' \"$@\"\n")
        chmod(program, 0o755)
        cluster.nodes.append(try cluster.start("ahead", environment: ahead, program: program))
        cluster.nodes.append(try cluster.start("behind", environment: behind, program: program))
        let started = try cluster.nodes.map { try $0.status()["startedAt"]?.number?.int64 ?? 0 }
        #expect(started[1] - started[0] > 400 && started[0] - started[2] > 380, "\(started)")
        for asked in 0..<3 {
            let begin = ContinuousClock.now
            let unlocked = try cluster[asked].run("unlock", "production", "--for", "5s", "--reason", "refund 4711")
            let granted = begin.duration(to: .now)
            #expect(unlocked.output.contains("3 of 3 nodes"), "\(unlocked)")
            let first = try cluster.nodes.map { try $0.write() }
            // On a machine that took longer to ask them it may be over.
            #expect(first == [502, 502, 502] || begin.duration(to: .now) > .seconds(5), "\(first)")
            var last = begin
            #expect(
                try eventually {
                    let sent = ContinuousClock.now
                    let areLocked = try cluster.nodes.map { try $0.write() } == [403, 403, 403]
                    if !areLocked { last = sent }
                    return areLocked
                })
            #expect(begin.duration(to: last) < .seconds(5) + granted)
            #expect(begin.duration(to: .now) > .seconds(4.5))
        }
    }
}
