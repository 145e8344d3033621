/// How many descriptors the system lets this process have at once.
package enum DescriptorLimit {
    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    /// nil where the system does not say.
    package static var current: UInt64? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// Sets the limit to what this user may have.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(resource, &limit) != 0 else { return }
        // setrlimit(2) of Darwin: more than OPEN_MAX is refused even where the hard limit says infinity.
        limit.rlim_cur = min(limit.rlim_max, 10240)
        setrlimit(resource, &limit)
    }
}
