import Foundation
import Synchronization

/// Ends the processes and removes the folders of tests that cannot do it themselves any more, however they end.
///
/// A shell holds the other end of a pipe: when this process is gone, for whatever reason, the pipe ends, and what was
/// announced and not taken back is cleared away. A test that fails or is killed leaves nothing behind.
final class Sweeper: Sendable {
    static let shared = Sweeper()

    private let pipe: Mutex<FileHandle?>

    // Processes lead a group each, so that what they have started goes with them. The first SIGTERM lets nginx end its
    // workers, and the second one lets Shunt end at once.
    private static let script = """
        trap '' HUP INT TERM
        awk '/^[pd]/ { held[$0] = 1 } /^-/ { delete held[substr($0, 2)] } END { for (line in held) print line }' |
        { pids=; folders=
        while read -r kind what; do
            if [ "$kind" = p ]; then pids="$pids $what"; else folders="$folders $what"; fi
        done
        for signal in TERM TERM KILL; do
            for pid in $pids; do kill -$signal -"$pid" || kill -$signal "$pid"; done
            [ -z "$pids" ] || sleep 0.2
        done
        for folder in $folders; do
            # Of a database server that was killed; the system keeps shared memory for good.
            segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid")
            [ -z "$segment" ] || ipcrm -m "$segment"
            [ ! -r /proc/mounts ] || awk '{ print $2 }' /proc/mounts | grep "^$folder/" | xargs -r umount -l
            rm -rf "$folder"
        done; } >/dev/null 2>&1
        """

    private init() {
        let ends = Pipe()
        let writing = ends.fileHandleForWriting
        // No other process may keep it open.
        _ = fcntl(writing.fileDescriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends.fileHandleForReading.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let shell = Process()
        // It leads a process group, as all that Foundation starts, so that no Ctrl-C reaches it. `setsid` would fork
        // and leave a zombie, on which the thread of Swift Testing that waits for exit tests turns for ever.
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.script]
        shell.standardInput = ends.fileHandleForReading
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        let isRunning = (try? shell.run()) != nil
        pipe = Mutex(isRunning ? writing : nil)
    }

    func hold(pid: Int32) { tell("p \(pid)") }
    func release(pid: Int32) { tell("-p \(pid)") }
    func hold(folder: String) { tell("d \(folder)") }
    func release(folder: String) { tell("-d \(folder)") }

    private func tell(_ line: String) {
        pipe.withLock { pipe in try? pipe?.write(contentsOf: Data((line + "\n").utf8)) }
    }
}
