import Dispatch
import Synchronization

/// Keeps checks that wait for servers and other programs within their time.
package enum DoctorLimit {
    static let usual = 6
    @TaskLocal package static var seconds = usual

    /// The findings of a check that blocks its thread, or one that says that it took too long.
    static func checks(
        _ area: DoctorArea, fix: String, _ work: @escaping @Sendable () -> [DoctorCheck]
    ) async -> [DoctorCheck] {
        let seconds = seconds
        return await withCheckedContinuation { continuation in
            let first = FirstFindings(continuation)
            let queue = DispatchQueue.global()
            queue.async { first.report(work()) }
            // The thread of a check that hangs ends with the process.
            queue.asyncAfter(deadline: .now() + .seconds(seconds)) {
                first.report([.warning(area, "could not be checked within \(seconds) s", fix: fix)])
            }
        }
    }
}

/// Hands on the findings that come first, and ignores later ones.
private final class FirstFindings: Sendable {
    private let continuation: Mutex<CheckedContinuation<[DoctorCheck], Never>?>

    init(_ continuation: CheckedContinuation<[DoctorCheck], Never>) { self.continuation = Mutex(continuation) }

    func report(_ findings: [DoctorCheck]) {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: findings)
    }
}
