/// What this process uses of the machine at the moment.
package struct ProcessFigures: Sendable {
    /// Of user and system, in microseconds.
    package var processorTime: UInt64 = 0
    /// Open descriptors; nil where the system does not list them.
    package var descriptors: Int?
    /// nil for no limit.
    package var descriptorLimit: UInt64?
    /// In bytes; nil where the system has no `/proc`.
    package var residentMemory: UInt64?

    package static func now() -> ProcessFigures {
        var figures = ProcessFigures()
        var time = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            figures.processorTime = UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_nsec)) / 1000
        }
        // The one that lists them is among them.
        figures.descriptors = (try? Files.names(in: "/dev/fd")).map { $0.count { Int($0) != nil } - 1 }
        let limit = sysconf(CInt(_SC_OPEN_MAX))
        if limit > 0 { figures.descriptorLimit = UInt64(limit) }
        if let bytes = try? Files.read("/proc/self/statm") {
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            if fields.count > 1, let pages = UInt64(fields[1]) {
                figures.residentMemory = pages * UInt64(max(1, sysconf(CInt(_SC_PAGESIZE))))
            }
        }
        return figures
    }
}
