import Bytes

/// Parks one task of a loop while it waits: an actor that is its own executor and keeps the job instead of running it.
///
/// A task suspends by a call to it, and continues when the loop runs the job that ``leave()`` returns, as one of its
/// own jobs: the actor has no state to protect. A continuation would do the same with a thousand instructions more,
/// most of them for locks of the runtime that no second thread contends for. Confined to the loop.
actor SuspensionPoint: SerialExecutor {
    // Confined to the loop, as its callers are.
    private nonisolated(unsafe) let job = Box<UnownedJob?>(nil)

    nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    nonisolated func enqueue(_ job: consuming ExecutorJob) { self.job.value = UnownedJob(job) }

    /// Suspends the caller until the job that ``leave()`` gives is run.
    ///
    /// Not inlined, or the compiler would see that the call does nothing, and omit it.
    @inline(never)
    func stay() {}

    /// The waiting job, which the caller has to run; nil without one.
    nonisolated func leave() -> UnownedJob? { job.value.take() }
}
