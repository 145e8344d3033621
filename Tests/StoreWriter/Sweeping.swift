import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes a ``TrafficPlan``, says so, and goes on with other exchanges until it is killed.
enum Sweeping {
    static func run(_ path: String, seed: UInt64) throws {
        let plan = TrafficPlan(seed: seed)
        var settings = StoreSettings()
        plan.set(&settings)
        try settings.sealIfAsked()
        let store = try TrafficStore.open(path, settings)
        plan.offer(to: store)
        _ = "written\n".utf8.withContiguousStorageIfAvailable { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        var number: UInt64 = 1 << 32
        while true {
            number += 1
            Acknowledging.offer(Samples.piece(number), to: store)
            usleep(200)
        }
    }
}
