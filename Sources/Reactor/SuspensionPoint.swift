/// Where one task of a loop lies while it waits: an actor, and its executor, which keeps a job instead of running it.
///
/// A task suspends by a call to it, and goes on when the loop runs what ``leave()`` gives, as one of its own jobs: the
/// actor has nothing to protect. A continuation would do the same with a thousand instructions more, most of them for
/// locks of the runtime that no second thread ever asks for. Confined to the loop.
actor SuspensionPoint: SerialExecutor {
    // Confined to the loop, as whoever comes here is.
    private nonisolated(unsafe) var job: UnownedJob?

    nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    nonisolated func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

    /// Suspends the caller until the job that ``leave()`` gives is run.
    ///
    /// Not inlined, or the compiler would see that nothing is done here, and stay away.
    @inline(never)
    func stay() {}

    /// The job that waits, which the caller has to run; nil where none does.
    nonisolated func leave() -> UnownedJob? {
        defer { job = nil }
        return job
    }
}
