#if canImport(Darwin)
import Platform

/// Processes whose parents have ended; here they become children of launchd, so that none is known.
enum Orphans {
    static func ofThisProcess(but others: Set<pid_t>) -> [pid_t] { [] }
}
#endif
