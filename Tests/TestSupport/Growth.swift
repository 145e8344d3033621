import Foundation

/// How many times as much CPU time this thread takes for four times the input: about 4 for work in proportion to its
/// input, 16 for work that grows with the square.
///
/// The least of three runs counts, so that others on a busy machine make little difference.
public func growth(from size: Int, _ work: (Int) throws -> Void) rethrows -> Double {
    func least(_ size: Int) throws -> Double {
        try (0..<8).map { _ in
            let start = threadTime()
            try work(size)
            return threadTime() - start
        }.min() ?? 0
    }
    return try least(4 * size) / max(least(size), 1e-6)
}

private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
