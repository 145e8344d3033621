import Dispatch
import Synchronization

/// Turns slices of an array into results on all cores, in the array's order.
///
/// - Parameter sliceSize: elements of one slice; an array that is not longer is handled by the caller's own thread.
func concurrentMap<Element: Sendable, Result: Sendable>(
    _ elements: [Element], sliceSize: Int, _ transform: @Sendable (ArraySlice<Element>) -> Result
) -> [Result] {
    let starts = Array(stride(from: 0, to: elements.count, by: sliceSize))
    guard starts.count > 1 else { return starts.map { transform(elements[$0...]) } }
    let results = Mutex([Result?](repeating: nil, count: starts.count))
    DispatchQueue.concurrentPerform(iterations: starts.count) { index in
        let start = starts[index]
        let result = transform(elements[start..<min(start + sliceSize, elements.count)])
        results.withLock { $0[index] = result }
    }
    return results.withLock { $0.compactMap(\.self) }
}
