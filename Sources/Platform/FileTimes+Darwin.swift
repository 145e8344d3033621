#if canImport(Darwin)
extension stat {
    /// When the content was changed last, as far as it says, in nanoseconds since 1970.
    package var modified: Int64 { Int64(st_mtimespec.tv_sec) &* 1_000_000_000 &+ Int64(st_mtimespec.tv_nsec) }
    /// When anything was changed last, by the system's clock; unlike the former, programs cannot set it.
    package var changed: Int64 { Int64(st_ctimespec.tv_sec) &* 1_000_000_000 &+ Int64(st_ctimespec.tv_nsec) }
}
#endif
