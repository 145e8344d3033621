import JSON
import Testing

@testable import Admin

/// What commands make of a response of the admin interface.
@Suite struct RefusedRequestTests {
    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\n\r\n{}", 200, nil),
            ("HTTP/1.1 409 Conflict\r\n\r\n{\"detail\": \"no\"}", 409, "no"),
            // The engine refuses a body that is too long before any handler has it.
            (
                "HTTP/1.1 413 Content Too Large\r\n\r\n413 Content Too Large\nshunt: the body is too long\n", 413,
                "the body is too long"
            ),
            ("HTTP/1.1 200 OK\r\n\r\n200 OK\nshunt: this is no JSON\n", nil, nil),
            ("HTTP/1.1 404 Not Found\r\n\r\n<p>another server</p>\n", nil, nil),
            ("HTTP/1.1 404 Not Found\r\n\r\n", nil, nil),
            ("nothing of HTTP", nil, nil),
        ] as [(String, Int?, String?)])
    func `a refusal is read as JSON or as the engine's text`(response: String, status: Int?, detail: String?) {
        let read = AdminClient.read(Array(response.utf8))
        #expect(read?.status == status && read?.body["detail"]?.string == detail)
    }
}
