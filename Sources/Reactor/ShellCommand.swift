import CSystem
import Platform

/// Runs a command of the shell for what it prints.
///
/// It blocks, so that loops leave it to ``Threads``.
public enum ShellCommand {
    /// Why there is no output, as a clause about the command.
    public struct Failure: Error {
        public let reason: String
    }

    /// What the command writes to its standard output; it reads nothing, and its errors are not shown.
    ///
    /// Whatever it has started and left behind in its process group ends with it.
    /// - Parameters:
    ///   - directory: where it runs.
    ///   - limit: bytes of output; with more it has failed.
    ///   - seconds: after which it is ended.
    public static func output(
        of command: String, in directory: String, limit: Int, seconds: Int
    ) throws(Failure) -> [UInt8] {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(reason: "could not be started: no more descriptors") }
        // Above those that the command gets.
        let output = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
        close(ends[1])
        let input = fcntl(ends[0], F_DUPFD_CLOEXEC, 10)
        close(ends[0])
        defer { close(input) }
        let script = "exec 2>/dev/null 3>&-; cd \"$1\" || exit 126; shift\n\(command)"
        var pid: pid_t = 0
        let code = withCStrings(["sh", "-c", script, "sh", directory]) { words in
            shunt_spawn_detached(&pid, "/bin/sh", words, shunt_environment(), output, output, 1)
        }
        close(output)
        guard code == 0 else { throw Failure(reason: "could not be started: \(String(cString: strerror(code)))") }
        let end = Instant.now().after(UInt64(seconds) * 1_000_000_000)
        var (bytes, status, hasEnded): ([UInt8], CInt, Bool) = ([], 0, false)
        defer {
            kill(-pid, SIGKILL)
            if !hasEnded { waitpid(pid, nil, 0) }
        }
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        while true {
            // Before the last look at the pipe, which has all that it has written then.
            if !hasEnded { hasEnded = waitpid(pid, &status, WNOHANG) == pid }
            let isAtEnd = take(from: input, into: &bytes, limit: limit)
            if bytes.count > limit { throw Failure(reason: "printed more than \(limit) bytes") }
            if hasEnded { break }
            guard Instant.now() < end else { throw Failure(reason: "did not end within \(seconds) s") }
            var entry = pollfd(fd: isAtEnd ? -1 : input, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, isAtEnd ? 2 : 20)
        }
        if status & 0x7F != 0 { throw Failure(reason: "was ended by signal \(status & 0x7F)") }
        let exit = status >> 8 & 0xFF
        guard exit == 0 else { throw Failure(reason: "failed with exit status \(exit)") }
        return bytes
    }

    /// Takes what is there; true at the end of the pipe.
    private static func take(from pipe: CInt, into bytes: inout [UInt8], limit: Int) -> Bool {
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = piece.withUnsafeMutableBytes { read(pipe, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            bytes += piece[..<count]
        }
        return false
    }
}

/// Lends texts to C as a list that ends with a null pointer.
package func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
) -> Result {
    let pointers = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
