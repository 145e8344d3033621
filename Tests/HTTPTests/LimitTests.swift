import HTTP
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct LimitTests {
    let limits = HeadLimits(bytes: 100, fields: 3)

    @Test func `a head may be as long as the limit, and no longer`() {
        var request = RequestHead()
        let fits = head("GET / HTTP/1.1", "Host: a", "X: " + String(repeating: "x", count: 68))
        #expect(fits.count == 100)
        #expect(request.feed(fits, limits: limits).description.hasPrefix("100 GET"))
        #expect(request.feed(fits, cuts: Array(0..<100), limits: limits).description.hasPrefix("100 GET"))
        let tooLong = head("GET / HTTP/1.1", "Host: a", "X: " + String(repeating: "x", count: 69))
        #expect(request.feed(tooLong, limits: limits) == .refused(.headTooLong, 431))
        #expect(request.feed(tooLong, cuts: Array(0..<101), limits: limits) == .refused(.headTooLong, 431))
    }

    @Test(arguments: [
        ("GET /" + String(repeating: "a", count: 95), HTTPFailure.Kind.requestLineTooLong, 414),
        (String(repeating: "G", count: 100), .requestLineTooLong, 414),
        ("GET / HTTP/1.1\r\n" + String(repeating: "X", count: 84), .headTooLong, 431),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "\t", count: 81), .headTooLong, 431),
        ("GET / HTTP/1.1\r\nX: \u{1}" + String(repeating: "a", count: 80), .controlByte, 400),
    ])
    func `an unfinished head is refused as soon as the limit is reached`(
        input: String, kind: HTTPFailure.Kind, status: Int
    ) {
        var request = RequestHead()
        #expect(request.feed(bytes(input), limits: limits) == .refused(kind, status))
        let trickled = request.feed(bytes(input), cuts: Array(0..<100), limits: limits)
        #expect(trickled == .refused(kind, status))
        #expect(request.feed(bytes(String(input.prefix(18))), limits: limits) == .incomplete)
    }

    @Test func `there may be as many fields as the limit says`() {
        var request = RequestHead()
        let fits = head("GET / HTTP/1.1", "Host: a", "X: 1", "X: 2")
        #expect(request.feed(fits, limits: limits).description.hasPrefix("39 GET"))
        let tooMany = head("GET / HTTP/1.1", "Host: a", "X: 1", "X: 2", "X: 3")
        #expect(request.feed(tooMany, limits: limits) == .refused(.tooManyFields, 431))
    }

    @Test func `an origin's head that is too long is the origin's fault`() {
        var response = ResponseHead()
        let line = bytes("HTTP/1.1 200 " + String(repeating: "x", count: 100))
        #expect(response.feed(line, limits: limits) == .refused(.requestLineTooLong, 502))
        let many = head("HTTP/1.1 200 OK", "A: 1", "A: 1", "A: 1", "A: 1")
        #expect(response.feed(many, limits: limits) == .refused(.tooManyFields, 502))
    }

    /// Were each attempt to begin anew, 64 KiB byte by byte would be two thousand million steps.
    @Test func `a head that comes byte by byte costs no more than its length`() {
        var request = RequestHead()
        let input = head("GET / HTTP/1.1", "Host: a", "X: " + String(repeating: "x", count: 60000))
        let limits = HeadLimits(bytes: 65536)
        let begin = Self.threadSeconds()
        #expect(request.feed(input, cuts: Array(0..<input.count), limits: limits).description.hasPrefix("600"))
        #expect(Self.threadSeconds() - begin < 5)
    }

    /// What this thread has computed so far, however many others want the processor.
    private static func threadSeconds() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return now.tv_sec
    }
}
