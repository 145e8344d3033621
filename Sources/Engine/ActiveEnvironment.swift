package import Profiles
import Synchronization

/// Which environment responds, switched as a whole and seen at once by every worker.
///
/// Shared by all threads.
package final class ActiveEnvironment: Sendable {
    private let current: Mutex<Environment>
    /// Counts the switches: a worker compares one number per request and takes the lock only after a change.
    let generation = Atomic<UInt64>(1)

    let mocks: Mocks

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
    ///
    /// - Returns: the new environment.
    package func replace(with library: ProfileLibrary) throws(ProxyError) -> Environment {
        try change { (old) throws(ProxyError) in
            try Environment(library, active: old.active.profile.name, mocks, after: old).keeping(old.sessions)
        }
    }

    /// Switches mocks on or off.
    func switchMocks<Failure>(_ body: (inout MockSwitches) throws(Failure) -> Void) throws(Failure) {
        try mocks.change(body)
        change { $0.switched(by: mocks.switches) }
    }

    /// Makes the next environment without a lock, since that may take long and workers need the present one; anew if
    /// another change came first.
    @discardableResult
    func change<Failure>(_ make: (Environment) throws(Failure) -> Environment) throws(Failure) -> Environment {
        while true {
            let old = environment
            let new = try make(old)
            let isFirst = current.withLock { current in
                guard current === old else { return false }
                current = new
                return true
            }
            guard isFirst else { continue }
            generation.add(1, ordering: .releasing)
            return new
        }
    }
}
