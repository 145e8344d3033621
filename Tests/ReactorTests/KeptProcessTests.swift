import Foundation
import Reactor
import TestSupport
import Testing

/// Commands that run with all that they start, until they are ended.
@Suite struct KeptProcessTests {
    /// What is told of a command.
    private final class Told: Sendable {
        let pid = Kept<Int32>(0)
        let output = Kept<[UInt8]>([])
        let end = Kept<KeptProcess.End?>(nil)

        var listener: KeptProcess.Listener {
            KeptProcess.Listener(
                started: { pid in self.pid.change { $0 = pid } },
                wrote: { bytes in self.output.change { $0 += bytes } },
                ended: { end in self.end.change { $0 = end } })
        }

        var text: String { String(decoding: output.value, as: UTF8.self) }
    }

    /// Each row: a command, how it ends, and what it writes.
    @Test(arguments: [
        ("echo a; echo b >&2; exit 3", KeptProcess.End.exited(3), "a\nb\n"), ("kill -9 $$", .signalled(9), ""),
        ("printf %s \"$PORT\"; test -z \"$SHUNT_SECRET\"", .exited(0), "3000"),
        ("cat; pwd", .exited(0), "/\n"),
        // What is left in its group, or has left that, ends with it.
        ("sleep 1000 & echo $!", .exited(0), "PID\n"), ("setsid sleep 1000 & echo $!", .exited(0), "PID\n"),
    ])
    func `a command ends with all that it has started`(command: String, end: KeptProcess.End, output: String) throws {
        setenv("SHUNT_SECRET", "planted", 1)
        let told = Told()
        let process = try KeptProcess(command, in: "/", environment: .ofServer(port: 3000), told.listener)
        #expect(eventually { told.end.value != nil })
        #expect(told.end.value == end)
        guard output == "PID\n" else {
            #expect(told.text == output)
            return withExtendedLifetime(process) {}
        }
        let pid = try #require(Int32(told.text.dropLast()))
        #expect(kill(pid, 0) != 0)
        withExtendedLifetime(process) {}
    }

    @Test func `it ends by SIGTERM when it is to end`() throws {
        let told = Told()
        let process = try KeptProcess(
            "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 1000 & wait; done", in: "/",
            environment: .ofServer(port: 1), told.listener)
        #expect(eventually { told.text == "up\n" })
        #expect(told.pid.value > 1 && !KeptProcess.keepers.isEmpty)
        process.stop()
        #expect(eventually { told.end.value != nil })
        #expect(told.end.value == .exited(7) && told.text == "up\nbye\n")
    }

    @Test(.extended) func `by SIGKILL where it does not`() throws {
        let told = Told()
        let process = try KeptProcess(
            "trap '' TERM; echo up; while :; do sleep 1; done", in: "/", environment: .ofServer(port: 1), told.listener)
        #expect(eventually { told.text == "up\n" })
        process.stop()
        #expect(eventually { told.end.value != nil })
        #expect(told.end.value == .signalled(9))
    }
}
