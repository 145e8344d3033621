/// Microseconds since 1970, UTC.
public func wallClock() -> Int64 {
    var time = timeval()
    gettimeofday(&time, nil)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
}
