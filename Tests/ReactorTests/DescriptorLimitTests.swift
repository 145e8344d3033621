import Foundation
import Platform
import Testing

@Suite struct DescriptorLimitTests {
    /// launchd gives 256 to what it starts; macOS refuses more than OPEN_MAX, whatever the hard limit says.
    @Test func `a process may have as many descriptors as the system lets it`() throws {
        var limit = rlimit()
        #if canImport(Glibc)
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #else
        try #require(getrlimit(RLIMIT_NOFILE, &limit) == 0)
        #endif
        DescriptorLimit.raise()
        let current = try #require(DescriptorLimit.current)
        #if canImport(Darwin) || SHUNT_KQUEUE
        #expect(current >= min(UInt64(limit.rlim_max), 10240))
        #else
        #expect(current == UInt64(limit.rlim_max))
        #endif
    }
}
