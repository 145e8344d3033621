import Bytes

/// The deadlines of one loop's waiters: a binary heap that is touched only when a deadline comes nearer.
///
/// A deadline that moves away, as with every byte on a busy connection, changes one field of its waiter; the heap
/// notices when the old time comes and sifts the entry to its new place. Confined to the loop.
struct Timers {
    private var heap: [Waiter] = []

    /// When the next entry is due; it may turn out to have moved away.
    var next: Instant { heap.first?.armed.value ?? .never }
    var count: Int { heap.count }

    /// Makes sure that `waiter` is woken at its deadline.
    mutating func schedule(_ waiter: Waiter) {
        if waiter.heapIndex.value < 0 {
            waiter.armed.value = waiter.deadline
            waiter.heapIndex.value = heap.count
            heap.append(waiter)
            siftUp(waiter.heapIndex.value)
        } else if waiter.deadline < waiter.armed.value {
            waiter.armed.value = waiter.deadline
            siftUp(waiter.heapIndex.value)
        }
    }

    mutating func remove(_ waiter: Waiter) {
        let index = waiter.heapIndex.value
        guard index >= 0 else { return }
        waiter.heapIndex.value = -1
        let last = heap.removeLast()
        guard index < heap.count else { return }
        place(last, at: index)
        siftUp(index)
        siftDown(last.heapIndex.value)
    }

    /// Wakes all whose deadline has come.
    mutating func fire(now: Instant) {
        while let first = heap.first, first.armed.value <= now {
            if first.deadline <= now {
                remove(first)
                first.wake()
            } else if first.deadline == .never {
                remove(first)
            } else {
                first.armed.value = first.deadline
                siftDown(0)
            }
        }
    }

    private mutating func place(_ waiter: Waiter, at index: Int) {
        heap[index] = waiter
        waiter.heapIndex.value = index
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        let waiter = heap[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard waiter.armed.value < heap[parent].armed.value else { break }
            place(heap[parent], at: index)
            index = parent
        }
        place(waiter, at: index)
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        let waiter = heap[index]
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].armed.value < heap[child].armed.value { child += 1 }
            guard heap[child].armed.value < waiter.armed.value else { break }
            place(heap[child], at: index)
            index = child
        }
        place(waiter, at: index)
    }
}
