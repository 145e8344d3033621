/// Objects that wait for a task to run them, on one worker.
///
/// Confined to its worker.
package final class LoopTasks {
    private var waiting: [any LoopTask] = []
    /// Makes a task that calls ``runNext()``.
    private let spawn: @Sendable () -> Void

    init(_ spawn: @escaping @Sendable () -> Void) { self.spawn = spawn }

    func add(_ task: any LoopTask) {
        waiting.append(task)
        spawn()
    }

    package func runNext() async {
        guard !waiting.isEmpty else { return }
        await waiting.removeFirst().run()
    }
}
