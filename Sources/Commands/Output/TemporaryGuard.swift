import CSystem
import Platform

/// Removes a file or a folder with traffic if this process ends before it is released, also by SIGKILL.
final class TemporaryGuard {
    private let pipe: CInt
    private let pid: pid_t

    init(_ path: String) {
        var pid: pid_t = 0
        pipe = shunt_start_guard(path, &pid)
        self.pid = pid
    }

    deinit {
        guard pipe >= 0 else { return }
        var released: Int32 = -1
        _ = write(pipe, &released, MemoryLayout<Int32>.size)
        close(pipe)
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}
