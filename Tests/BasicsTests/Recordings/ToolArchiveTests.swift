import Recordings
import TestSupport
import Testing

/// An archive in the shape of one tool, with what a request for its only API call gets.
private struct ToolArchive: Sendable, CustomTestStringConvertible {
    let tool: String
    let text: String
    var files: [String: String] = [:]

    var testDescription: String { tool }
}

private let archives = [
    // Chrome: pseudo-fields, fields before the request, times of -1, and content of images in Base64.
    ToolArchive(
        tool: "Chrome",
        text: #"""
            {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [{"startedDateTime": "2026-01-01T10:00:00.000Z", "id": "page_1", "title": "x",
            "pageTimings": {"onContentLoad": null, "onLoad": 12.5}}], "entries": [
            {"_connectionId": "12", "_initiator": {"type": "script", "stack": {"callFrames": []}}, "_priority": "High",
            "_resourceType": "fetch", "cache": {}, "connection": "443", "pageref": "page_1",
            "request": {"method": "POST", "url": "https://api.shop.test/v1/cart?page=1", "httpVersion": "http/2.0",
            "headers": [{"name": ":authority", "value": "api.shop.test"}, {"name": ":method", "value": "POST"},
            {"name": "content-type", "value": "application/json"}], "queryString": [{"name": "page", "value": "1"}],
            "cookies": [], "headersSize": -1, "bodySize": 9,
            "postData": {"mimeType": "application/json", "text": "{\"id\": 7}"}},
            "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0",
            "headers": [{"name": "content-encoding", "value": "br"}, {"name": "content-type", "value": "application/json"},
            {"name": "set-cookie", "value": "a=1\nb=2"}], "cookies": [], "content": {"size": 11,
            "mimeType": "application/json", "text": "{\"ok\": true}"}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "_transferSize": 120, "_error": null, "_fetchedViaServiceWorker": false},
            "serverIPAddress": "[2001:db8::1]", "startedDateTime": "2026-01-01T10:00:00.123Z", "time": 41.9,
            "timings": {"blocked": 2.1, "dns": -1, "ssl": -1, "connect": -1, "send": 0.2, "wait": 39.1, "receive": 0.5,
            "_blocked_queueing": 1.9, "_workerStart": -1}},
            {"request": {"method": "GET", "url": "data:image/png;base64,AA==", "headers": []},
            "response": {"status": 200, "headers": [], "content": {}}}]}}
            """#),
    // Firefox: a byte order mark, parameters beside the text, and blocked requests with status 0.
    ToolArchive(
        tool: "Firefox",
        text: "\u{FEFF}"
            + #"""
            {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "140.0"},
            "browser": {"name": "Firefox", "version": "140.0"}, "pages": [], "entries": [
            {"startedDateTime": "2026-01-01T11:00:00.123+01:00", "request": {"bodySize": 9, "method": "POST",
            "url": "https://api.shop.test/v1/cart?page=1", "httpVersion": "HTTP/2", "headers": [
            {"name": "Host", "value": "api.shop.test"}], "cookies": [], "queryString": [], "headersSize": 300,
            "postData": {"mimeType": "application/json", "params": [], "text": "{\"id\":7}"}},
            "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [], "content":
            {"mimeType": "text/plain", "size": 0, "text": ""}, "redirectURL": "", "headersSize": -1, "bodySize": -1},
            "cache": {}, "timings": {}, "time": 0, "_securityState": "insecure"},
            {"startedDateTime": "2026-01-01T11:00:01.000+01:00", "request": {"bodySize": 9, "method": "POST",
            "url": "https://api.shop.test/v1/cart?page=1", "httpVersion": "HTTP/2", "headers": [], "cookies": [],
            "queryString": [], "headersSize": 300,
            "postData": {"mimeType": "application/json", "params": [], "text": "{\"id\":7}"}},
            "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [
            {"name": "Set-Cookie", "value": "a=1"}, {"name": "Set-Cookie", "value": "b=2"},
            {"name": "Content-Type", "value": "application/json"}], "cookies": [], "content":
            {"mimeType": "application/json", "size": 12, "encoding": "base64", "text": "eyJvayI6IHRydWV9"},
            "redirectURL": "", "headersSize": 90, "bodySize": 102}, "cache": {},
            "timings": {"blocked": 0, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 40, "receive": 0}, "time": 40}]}}
            """#),
    // Safari: seconds with many digits, sizes that are left out, and no text of a request without a body.
    ToolArchive(
        tool: "Safari",
        text: #"""
            {"log": {"version": "1.2", "creator": {"name": "WebKit Web Inspector", "version": "1.0"}, "pages": [
            {"startedDateTime": "2026-01-01T10:00:00.123Z", "id": "page_0", "title": "https://shop.test/",
            "pageTimings": {}}], "entries": [{"pageref": "page_0", "startedDateTime": "2026-01-01T10:00:00.456Z",
            "time": 40.123456789012345, "request": {"method": "POST", "url": "https://api.shop.test/v1/cart?page=1",
            "httpVersion": "HTTP/2", "cookies": [], "headers": [{"name": "Content-Type", "value": "application/json"}],
            "queryString": [{"name": "page", "value": "1"}], "headersSize": -1, "bodySize": -1,
            "postData": {"mimeType": "application/json", "text": "{\"id\":7}"}}, "response": {"status": 200,
            "statusText": "OK", "httpVersion": "HTTP/2", "cookies": [], "headers": [
            {"name": "Content-Type", "value": "application/json"}, {"name": "Set-Cookie", "value": "a=1"},
            {"name": "Set-Cookie", "value": "b=2"}], "content": {"size": 12, "compression": 0,
            "mimeType": "application/json", "text": "{\"ok\": true}"}, "redirectURL": "", "headersSize": -1,
            "bodySize": 12, "_transferSize": 90}, "cache": {}, "timings": {"blocked": 1.0000000000000002, "dns": -1,
            "connect": -1, "ssl": -1, "send": 0.1, "wait": 38.9, "receive": 0.2}, "serverIPAddress": "192.0.2.1",
            "_fetchType": "Network Load", "_priority": "high"}]}}
            """#),
    // Charles: its own state of each entry, a zone in the times, and bodies in Base64.
    ToolArchive(
        tool: "Charles",
        text: #"""
            {"log": {"version": "1.2", "creator": {"name": "Charles Proxy", "version": "5.0"}, "entries": [{
            "startedDateTime": "2026-01-01T11:00:00.123+01:00", "time": 40, "request": {"method": "POST",
            "url": "https://api.shop.test/v1/cart?page=1", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [
            {"name": "Host", "value": "api.shop.test"}], "queryString": [{"name": "page", "value": "1"}],
            "postData": {"mimeType": "application/json", "text": "{\n  \"id\": 7\n}"}, "headersSize": 120, "bodySize": 13},
            "response": {"_charlesStatus": "COMPLETE", "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": [{"name": "Transfer-Encoding", "value": "chunked"},
            {"name": "Content-Type", "value": "application/json"}, {"name": "Set-Cookie", "value": "a=1"},
            {"name": "Set-Cookie", "value": "b=2"}], "content": {"size": 12, "compression": 0,
            "mimeType": "application/json", "text": "eyJvayI6IHRydWV9", "encoding": "base64"}, "redirectURL": null,
            "headersSize": 0, "bodySize": 12}, "serverIPAddress": "192.0.2.1", "cache": {}, "timings": {"connect": 5,
            "ssl": 3, "send": 1, "dns": 0, "wait": 30, "receive": 1}}]}}
            """#),
    // Playwright: bodies in files beside the archive.
    ToolArchive(
        tool: "Playwright",
        text: #"""
            {"log": {"version": "1.2", "creator": {"name": "Playwright", "version": "1.50.0"},
            "browser": {"name": "chromium", "version": "133.0"}, "entries": [{
            "startedDateTime": "2026-01-01T10:00:00.123Z", "time": 40.2, "request": {"method": "POST",
            "url": "https://api.shop.test/v1/cart?page=1", "httpVersion": "HTTP/2.0", "cookies": [], "headers": [],
            "queryString": [], "headersSize": -1, "bodySize": -1, "postData": {"mimeType": "application/json",
            "text": "", "params": [], "_file": "post.json"}}, "response": {"status": 200, "statusText": "",
            "httpVersion": "HTTP/2.0", "cookies": [], "headers": [{"name": "content-type", "value": "application/json"},
            {"name": "set-cookie", "value": "a=1\nb=2"}], "content": {"size": 12, "mimeType": "application/json",
            "_file": "body.json"}, "headersSize": -1, "bodySize": -1, "redirectURL": ""}, "cache": {},
            "timings": {"send": -1, "wait": -1, "receive": 40.2}, "_monotonicTime": 1, "_frameref": "frame@1"}]}}
            """#, files: ["post.json": #"{"id":7}"#, "body.json": #"{"ok": true}"#]),
]

/// Archives of browsers and other proxies as recordings.
@Suite struct ToolArchiveTests {
    @Test(arguments: archives) fileprivate func `an archive of any tool responds`(archive: ToolArchive) throws {
        let folder = try TemporaryFolder()
        for (name, text) in archive.files { try folder.write(name, text) }
        let file = try RecordingFile(path: try folder.write("r.har", archive.text))
        let index = RecordingIndex(file, RecordingRules())
        func asked(_ body: String) -> AskedRequest {
            AskedRequest(
                method: "POST", authority: "api.shop.test:8443", target: "/v1/cart?page=1", type: "application/json",
                body: Array(body.utf8))
        }
        let group = try #require(try index.find(asked(#"{ "id": 7 }"#)))
        #expect(group.entries.count == 1)
        let response = try file.response(group.entries[0])
        #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == #"{"ok": true}"#)
        let cookies = response.fields.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
        #expect(cookies == ["a=1", "b=2"])
        #expect(!response.fields.contains { ["content-encoding", "transfer-encoding"].contains($0.name.lowercased()) })
        #expect(try index.find(asked(#"{ "id": 8 }"#)) == nil)
        // Ten o'clock on the first of January 2026; Firefox's first attempt failed.
        let seconds: Int64 = archive.tool == "Firefox" ? 1_767_261_601 : 1_767_261_600
        #expect(file.started.map { $0 / 1_000_000 } == seconds)
    }

    /// Responses as tools write them that are not what a server sent; nil where there is none to give.
    fileprivate static let odd: [(tool: String, response: String, expected: String?)] = [
        // Chrome has forgotten the body.
        (
            "Chrome", #"{"status": 200, "headers": [], "content": {"size": 70123456, "mimeType": "video/mp4"}}"#, nil
        ),
        // An image that Chrome could not show.
        (
            "Chrome",
            #"""
            {"status": 200, "headers": [], "content": {"size": 15000, "mimeType": "application/octet-stream", "text": "",
             "encoding": "base64"}}
            """#, nil
        ),
        // Chrome asked whether its cache was fresh.
        (
            "Chrome",
            #"""
            {"status": 304, "statusText": "", "httpVersion": "h3", "headers": [{"name": "etag", "value": "\"1\""}],
             "content": {"size": 4, "mimeType": "text/css", "text": "a {}"}, "_transferSize": 120, "_error": null}
            """#, "200 a {}"
        ),
        (
            "Chrome",
            #"""
            {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [], "content": {"size": 0,
             "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0,
             "_error": "net::ERR_BLOCKED_BY_CLIENT", "_fetchedViaServiceWorker": false}
            """#, nil
        ),
        (
            "Chrome",
            #"""
            {"status": 302, "statusText": "Found", "httpVersion": "h2", "headers": [{"name": ":status", "value": "302"},
             {"name": "location", "value": "/b"}], "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "/b"}
            """#, "302 "
        ),
        (
            "Chrome",
            #"""
            {"status": 200, "headers": [], "content": {"size": 3, "mimeType": "image/gif", "text": "R0lG",
             "encoding": "base64"}, "bodySize": 0, "_fromCache": "disk"}
            """#, "200 GIF"
        ),
        // Firefox was asked to leave bodies out.
        (
            "Firefox",
            #"""
            {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [], "content": {"mimeType":
             "text/html; charset=utf-8", "size": 48, "comment": "Response bodies are not included."}, "bodySize": 300}
            """#, nil
        ),
        (
            "Firefox",
            #"{"status": 204, "headers": [], "content": {"mimeType": "text/plain", "size": 0, "text": ""}}"#, "204 "
        ),
        (
            "Safari",
            #"""
            {"status": 200, "statusText": "", "httpVersion": "", "headers": [], "content": {"size": 3, "compression": 0,
             "mimeType": "image/png", "text": "R0lG", "encoding": "base64"}, "redirectURL": "", "headersSize": -1,
             "bodySize": -1, "_error": null}
            """#, "200 GIF"
        ),
        (
            "Charles",
            #"""
            {"_charlesStatus": "FAILED", "status": 0, "statusText": null, "headers": [], "content": {"size": 0,
             "mimeType": null}, "redirectURL": null, "headersSize": 0, "bodySize": 0}
            """#, nil
        ),
        (
            "Charles",
            #"""
            {"_charlesStatus": "COMPLETE", "status": 200, "headers": [], "content": {"size": 0, "mimeType": null,
             "compression": 0}, "redirectURL": null, "headersSize": 90, "bodySize": 0}
            """#, "200 "
        ),
        // A request that a test has aborted.
        (
            "Playwright",
            #"""
            {"status": -1, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "content": {
             "size": -1, "mimeType": "x-unknown"}, "headersSize": -1, "bodySize": -1, "redirectURL": "",
             "_transferSize": -1, "_failureText": "net::ERR_FAILED"}
            """#, nil
        ),
        (
            "Playwright",
            #"{"status": 200, "headers": [], "content": {"size": -1, "mimeType": "x-unknown"}, "_transferSize": -1}"#,
            "200 "
        ),
    ]

    @Test(arguments: odd) func `what a tool leaves out is no empty response`(
        tool: String, response: String, expected: String?
    ) throws {
        let folder = try TemporaryFolder()
        let text = """
            {"log": {"version": "1.2", "creator": {"name": "\(tool)", "version": "1"}, "entries": [
            {"startedDateTime": "2026-01-01T10:00:00.123Z", "time": 1, "request": {"method": "GET",
            "url": "https://shop.test/a#top", "headers": []}, "response": \(response), "cache": {}, "timings": {}}]}}
            """
        let file = try RecordingFile(path: try folder.write("r.har", text))
        let group = try RecordingIndex(file, RecordingRules()).find(
            AskedRequest(method: "GET", authority: "shop.test", target: "/a", type: "", body: []))
        let given = group.flatMap { try? file.response($0.entries[0]) }
        #expect(given.map { "\($0.status) \(String(decoding: $0.body, as: UTF8.self))" } == expected)
        #expect(given?.fields.contains { $0.name.hasPrefix(":") } != true)
    }
}
