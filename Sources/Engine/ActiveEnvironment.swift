import Profiles
import Synchronization

/// Which environment responds, switched as a whole and seen at once by every worker.
///
/// Shared by all threads.
package final class ActiveEnvironment: Sendable {
    private let current: Mutex<Environment>
    /// Counts the switches: a worker compares one number per request and takes the lock only after a change.
    let generation = Atomic<UInt64>(1)

    private let mocks: Mocks

    package init(_ environment: Environment, _ mocks: Mocks) {
        current = Mutex(environment)
        self.mocks = mocks
    }

    var environment: Environment { current.withLock { $0 } }

    /// Makes another profile active; exchanges in flight finish where they began.
    func use(_ name: String) throws(ProxyError) {
        try change { (old) throws(ProxyError) in try old.using(name) }
    }

    /// Takes over profiles that were read anew; the active one keeps its name.
    func replace(with library: ProfileLibrary) throws(ProxyError) {
        try change { (old) throws(ProxyError) in
            try Environment(library, active: old.active.profile.name, mocks)
        }
    }

    /// Switches mocks on or off.
    func switchMocks<Failure>(_ body: (inout MockSwitches) throws(Failure) -> Void) throws(Failure) {
        try mocks.change(body)
        current.withLock { $0 = $0.switched(by: mocks.switches) }
        generation.add(1, ordering: .releasing)
    }

    private func change(_ make: (Environment) throws(ProxyError) -> Environment) throws(ProxyError) {
        try current.withLock { (environment) throws(ProxyError) in environment = try make(environment) }
        generation.add(1, ordering: .releasing)
    }
}
