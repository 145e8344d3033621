import Foundation

/// How many times as much CPU time this thread takes for four times the input: about 4 for work in proportion to its
/// input, 16 for work that grows with the square.
///
/// The least of eight runs counts, so that others on a busy machine make little difference; they end with the first that
/// is in proportion.
public func growth(from size: Int, _ work: (Int) throws -> Void) rethrows -> Double {
    func time(_ size: Int) throws -> Double {
        let start = threadTime()
        try work(size)
        return threadTime() - start
    }
    var best = (small: Double.infinity, large: Double.infinity)
    for _ in 0..<8 {
        best = (min(best.small, max(try time(size), 1e-6)), min(best.large, try time(4 * size)))
        // No more than half again of what is in proportion.
        if best.large <= 6 * best.small { break }
    }
    return best.large / best.small
}

private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
