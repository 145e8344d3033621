import Rewriting
import Testing

@Suite struct BodyTypeTests {
    @Test(arguments: [
        "text/html", "TEXT/HTML; charset=utf-8", "text/html;charset=ISO-8859-1", "application/xhtml+xml", "text/css",
        "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript", "application/json",
        "application/json ; charset=\"UTF-8\"", "application/ld+json", "application/manifest+json",
        "application/vnd.api+json;version=1", "application/problem+json", "text/plain", "image/svg+xml", "text/xml",
        "application/wsdl+xml", "application/soap+xml; charset=utf-8", "application/atom+xml", "text/calendar",
        "text/event-stream", "application/vnd.apple.mpegurl", "application/x-ndjson", "application/yaml", "text/htmlx",
    ])
    func `text that may hold addresses is rewritten`(type: String) {
        #expect(BodyWorld().rewriter(type) != nil)
    }

    @Test(arguments: [
        "", ";", "image/png", "+json", "application/jsonp", "application/octet-stream", "application/grpc",
        "multipart/form-data; boundary=x", "text/html; charset=utf-16", "text/html; charset=UTF-16LE",
        "text/html;x=y;Charset=\"utf-32\"", "application/json; charset=ucs-2",
    ])
    func `all else is not`(type: String) {
        #expect(BodyWorld().rewriter(type) == nil)
    }

    @Test(arguments: [
        ("", false), ("identity", false), ("gzip", true), ("x-gzip", true), ("GZIP", true), ("deflate", true),
        ("br", true), ("zstd", true), (" gzip , br", true), ("gzip, identity,, br, zstd", true),
    ])
    func `known codings are undone`(coding: String, decodes: Bool) throws {
        #expect(try #require(BodyWorld().rewriter("text/html", coding)).decodes == decodes)
    }

    @Test(arguments: ["compress", "dcb", "gzip, dcz", "gzi", "gzip;q=1", "gzip, gzip, gzip, gzip", "br gzip"])
    func `unknown ones, and too many, are left alone`(coding: String) {
        #expect(BodyWorld().rewriter("text/html", coding) == nil)
    }
}
