import CSystem

/// Gives memory that is free back to the system, as far as its allocator can.
///
/// Takes milliseconds, in which other threads wait for memory: not for a loop's thread.
package func releaseFreeMemory() { shunt_release_free_memory() }
