import Bytes
import Exchanges
import JSON
import Store

/// One entry of an HTTP Archive as an exchange: strict about what makes it one, lenient about all else.
struct HAREntryReader {
    private let entry: HARObject
    private let request: HARObject
    private let response: HARObject
    private(set) var exchange: Exchange
    private(set) var parts: [(kind: RecordedPiece.Part.Kind, bytes: [UInt8])] = []
    private(set) var requestCut = false
    private(set) var (originRequestCut, originResponseCut) = (false, false)
    private(set) var responseCut = false
    /// Shunt wrote it: what is not there was not there.
    private let isOwn: Bool

    init(_ value: JSONValue) throws(HARMistake) {
        entry = HARObject(value: value, path: "")
        request = try entry.object("request")
        response = try entry.object("response")
        let time = try entry.string("startedDateTime")
        guard let started = CalendarTime.parse(time) else {
            throw entry.mistake(
                "startedDateTime", "“\(time.prefix(40))” is no ISO 8601 time", entry.value["startedDateTime"])
        }
        let method = try request.string("method")
        guard Self.isToken(method) else {
            throw request.mistake("method", "“\(method.prefix(40))” is no method", request.value["method"])
        }
        let address = try request.string("url")
        guard let parts = URLText(address), ["http", "https", "ws", "wss"].contains(parts.scheme) else {
            throw request.mistake("url", "“\(address.prefix(80))” is no absolute HTTP URL", request.value["url"])
        }
        isOwn = entry.value["_client"] != nil
        let url = isOwn ? request.value["_url"]?.string ?? address : address
        exchange = Exchange(
            startedAt: started,
            client: .init(
                address: "",
                version: entry.value["_client"]?["protocol"]?.string
                    ?? Self.version(request.value["httpVersion"]?.string), tls: nil),
            method: method, url: url)
        let status = response.integer("status")
        guard let status, (0...999).contains(status) else {
            throw response.mistake("status", "is no status", response.value["status"])
        }
        exchange.status = status == 0 ? nil : Int(status)
        readTimings()
        readFacts(parts)
        try readRequest(parts)
        try readResponse()
        readMessages()
    }

    private mutating func readTimings() {
        guard let value = entry.value["timings"], value.object != nil else {
            exchange.timings.total = entry.time("time") ?? 0
            return
        }
        let timings = HARObject(value: value, path: "timings")
        var read = Exchange.Timings()
        (read.blocked, read.dns, read.tls) = (timings.time("blocked"), timings.time("dns"), timings.time("ssl"))
        (read.send, read.wait, read.receive) = (timings.time("send"), timings.time("wait"), timings.time("receive"))
        read.connect = timings.time("connect")
        let total = entry.time("time")
        if let tls = read.tls, let connect = read.connect, connect >= tls {
            // TLS is part of connecting, but some tools count it beside it, and then it is in the sum.
            let sum = HARTimings(read).sum
            let isBeside = total.map { $0 >= sum - min(sum, 1000) } ?? false
            if !isBeside { read.connect = connect == tls ? nil : connect - tls }
        }
        read.total = entry.time("_total") ?? total ?? HARTimings(read).sum
        exchange.timings = read
    }

    private mutating func readFacts(_ url: URLText) {
        func text(_ name: String) -> String? { entry.value[name]?.string }
        readOrigin(url)
        ExchangeTable.read(archived: entry.value, to: &exchange)
        if let client = entry.value["_client"] {
            exchange.client.address = client["address"]?.string ?? ""
            exchange.client.tls = client["tls"]?.string
            exchange.client.app = client["app"]?.string
        } else if exchange.status != nil {
            exchange.responder = exchange.responder ?? "origin"
        }
        if let message = text("_error") ?? response.value["_error"]?.string, !message.isEmpty {
            let failure = entry.value["_failure"]
            exchange.failure = Exchange.Failure(
                side: failure?["side"]?.string ?? "origin", stage: failure?["stage"]?.string ?? "import",
                message: message, fixes: (failure?["fixes"]?.array ?? []).compactMap { $0.string })
        }
    }

    private mutating func readOrigin(_ url: URLText) {
        if let origin = entry.value["_origin"], let place = origin["url"]?.string {
            exchange.origin = Exchange.OriginFacts(
                url: place, address: origin["address"]?.string, isReused: origin["reused"]?.bool ?? false,
                tls: origin["tls"]?.string, isResumed: origin["resumed"]?.bool ?? false,
                version: origin["protocol"]?.string)
        } else if entry.value["_client"] == nil {
            let address = entry.value["serverIPAddress"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            exchange.origin = Exchange.OriginFacts(url: "\(url.scheme)://\(url.authority)", address: address)
        }
    }

    private mutating func readRequest(_ url: URLText) throws(HARMistake) {
        var fields = HARHeads.usable(try request.fields("headers"))
        if !isOwn, !fields.contains(where: { HeadText.isSame($0.name, "Host") }) {
            fields.insert(HeadText.Field("Host", url.authority), at: 0)
        }
        if !fields.contains(where: { HeadText.isSame($0.name, "Cookie") }) {
            let pairs = try request.fields("cookies").map { "\($0.name)=\($0.value)" }
            if !pairs.isEmpty { fields.append(HeadText.Field("Cookie", pairs.joined(separator: "; "))) }
        }
        let line = request.value["_requestLine"]?.string
        let head = HeadText(startLine: line ?? HARHeads.requestLine(exchange, URLText(exchange.url)), fields: fields)
        // Of a request that could not be read there is no head, and its length says so.
        let isUnknown = isOwn && line == nil && fields.isEmpty && exchange.method == "-"
        if !isUnknown { add(.clientRequest, head.bytes) }
        addHead(.originRequest, entry.value["_originRequest"], same: head)
        if let data = request.value["postData"], data.object != nil {
            let data = HARObject(value: data, path: "request.postData")
            // Some tools write both, though they exclude each other: the text is what was sent.
            let text = data.value["text"]?.string ?? ""
            let encoding = data.value["_encoding"]?.string ?? data.value["encoding"]?.string
            let pairs = text.isEmpty ? try data.fields("params") : []
            let bytes = pairs.isEmpty ? try HARHeads.content(text, encoding, data) : Array(FormFields.text(pairs).utf8)
            requestCut = data.value["_incomplete"] != nil
            exchange.bytes.request = UInt64(clamping: request.integer("bodySize") ?? -1)
            if exchange.bytes.request == 0 { exchange.bytes.request = UInt64(bytes.count) }
            add(.requestBody, bytes)
        }
        originRequestCut = try addOrigin(.originRequestBody, "_originRequestBody")
        addTrailers(.requestTrailers, try entry.fields("_requestTrailers"))
    }

    private mutating func readResponse() throws(HARMistake) {
        // A response that came and was not delivered.
        let undelivered = isOwn ? response.value["_statusLine"]?.string : nil
        guard exchange.status != nil || undelivered != nil else { return }
        var fields = HARHeads.usable(try response.fields("headers"))
        if !fields.contains(where: { HeadText.isSame($0.name, "Set-Cookie") }) {
            fields += HARHeads.setCookies(response.value["cookies"]?.array ?? [])
        }
        let version = HARHeads.lineVersion(Self.version(response.value["httpVersion"]?.string))
        let reason = response.value["statusText"]?.string ?? ""
        let line = undelivered ?? "\(version) \(exchange.status ?? 0) \(reason)"
        let head = HeadText(startLine: line, fields: fields)
        addHead(.originResponse, entry.value["_originResponse"], same: head)
        add(exchange.status == nil ? .originResponse : .clientResponse, head.bytes)
        let size = response.integer("bodySize") ?? -1
        if let value = response.value["content"], value.object != nil {
            let content = HARObject(value: value, path: "response.content")
            let bytes = try HARHeads.content(
                content.value["text"]?.string ?? "", content.value["encoding"]?.string, content)
            let length = content.integer("size") ?? -1
            responseCut = content.value["_incomplete"] != nil
            exchange.bytes.decodedResponse = UInt64(exactly: length)
            exchange.bytes.response = UInt64(clamping: size >= 0 ? size : max(length, Int64(bytes.count)))
            add(.responseBody, bytes)
        }
        originResponseCut = try addOrigin(.originResponseBody, "_originResponseBody")
        addTrailers(.responseTrailers, try entry.fields("_responseTrailers"))
    }

    /// A body at the origin's end; true where it is not whole.
    private mutating func addOrigin(_ kind: RecordedPiece.Part.Kind, _ name: String) throws(HARMistake) -> Bool {
        guard let value = entry.value[name], value.object != nil else { return false }
        let bytes = try HARHeads.content(
            value["text"]?.string ?? "", value["encoding"]?.string, HARObject(value: value, path: name))
        add(kind, bytes)
        return value["_incomplete"] != nil
    }

    private mutating func readMessages() {
        for name in ["_webSocketMessages", "_eventSourceMessages"] {
            for item in entry.value[name]?.array ?? [] {
                let message = HARObject(value: item, path: name)
                let text = item["data"]?.string ?? ""
                let opcode = message.integer("opcode") ?? 1
                let kind = HARHeads.kind(opcode, isEvent: name == "_eventSourceMessages")
                let isBinary = item["_encoding"]?.string == "base64" || kind == .binary
                let bytes = (isBinary ? Base64Decoder.bytes(text) : nil) ?? Array(text.utf8)
                let seconds = item["time"]?.number?.double ?? 0
                var facts = MessageFacts(
                    time: Int64(exactly: (seconds * 1_000_000).rounded()) ?? exchange.startedAt,
                    sender: item["type"]?.string == "send" ? .client : .origin, kind: kind,
                    length: max(message.integer("_length") ?? 0, Int64(bytes.count)))
                facts.isCut = facts.length > bytes.count
                facts.isInjected = item["_injected"]?.bool == true
                facts.isWithheld = item["_withheld"]?.bool == true
                facts.isEdited = item["_edited"]?.bool == true
                if kind == .event {
                    let type = item["eventName"]?.string ?? ""
                    add(.eventType, Array((type == "message" ? "" : type).utf8))
                    add(.eventID, Array((item["eventId"]?.string ?? "").utf8))
                }
                add(.message(facts), bytes)
            }
        }
    }

    private mutating func add(_ kind: RecordedPiece.Part.Kind, _ bytes: [UInt8]) {
        if bytes.isEmpty, case .requestBody = kind { return }
        if bytes.isEmpty, case .responseBody = kind { return }
        if bytes.isEmpty, case .eventType = kind { return }
        if bytes.isEmpty, case .eventID = kind { return }
        parts.append((kind, bytes))
    }

    private mutating func addTrailers(_ kind: RecordedPiece.Part.Kind, _ fields: [HeadText.Field]) {
        let fields = HARHeads.usable(fields)
        if !fields.isEmpty { add(kind, HeadText(startLine: "", fields: fields).bytes) }
    }

    /// A head on the origin's side; null says that it is the one on the client's side.
    private mutating func addHead(_ kind: RecordedPiece.Part.Kind, _ value: JSONValue?, same: HeadText) {
        guard let value else { return }
        if value.isNull { return add(kind, same.bytes) }
        let object = HARObject(value: value, path: "")
        guard let line = value["startLine"]?.string, let fields = try? object.fields("headers") else { return }
        let isSent = line.isEmpty && fields.first?.name == ":method"
        let pseudo = isSent ? HARHeads.pseudo(fields) : []
        add(kind, HeadText(startLine: line, fields: pseudo + HARHeads.usable(fields)).bytes)
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    /// In the spelling of the log, whatever the tool called it.
    private static func version(_ text: String?) -> String {
        switch (text ?? "").lowercased() {
        case "http/1.0": "HTTP/1.0"
        case "h2", "http/2", "http/2.0", "http/2+quic/43": "HTTP/2"
        case "h3", "http/3", "http/3.0", "h3-29": "HTTP/3"
        default: "HTTP/1.1"
        }
    }
}

extension HARHeads {
    /// Fields as a head can have them: several Set-Cookie in one value, as browsers write them, become lines.
    static func usable(_ fields: [HeadText.Field]) -> [HeadText.Field] {
        fields.filter { $0.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") } }
            .flatMap { field in
                guard HeadText.isSame(field.name, "Set-Cookie") else { return [field] }
                return field.value.utf8.split(separator: 0x0A).map {
                    HeadText.Field(field.name, String(decoding: $0, as: UTF8.self))
                }
            }
    }

    /// Those that stand for the start line in HTTP/2.
    static func pseudo(_ fields: [HeadText.Field]) -> [HeadText.Field] {
        [":method", ":protocol", ":path", ":scheme", ":authority"].compactMap { name in
            fields.first { $0.name == name }
        }
    }

    static func setCookies(_ cookies: [JSONValue]) -> [HeadText.Field] {
        cookies.compactMap { value in
            guard let name = value["name"]?.string else { return nil }
            var cookie = RecordedCookie(name: name, value: value["value"]?.string ?? "")
            cookie.path = value["path"]?.string
            cookie.domain = value["domain"]?.string
            cookie.expires = value["expires"]?.string.flatMap {
                CalendarTime.parse($0) ?? CalendarTime.parse(cookieDate: $0)
            }
            cookie.isHTTPOnly = value["httpOnly"]?.bool ?? false
            cookie.isSecure = value["secure"]?.bool ?? false
            cookie.sameSite = value["_sameSite"]?.string ?? value["sameSite"]?.string
            return HeadText.Field("Set-Cookie", cookie.setCookie)
        }
    }

    static func content(_ text: String, _ encoding: String?, _ object: HARObject) throws(HARMistake) -> [UInt8] {
        guard let encoding, encoding.lowercased() == "base64" else { return Array(text.utf8) }
        guard let bytes = Base64Decoder.bytes(text) else {
            throw object.mistake("text", "is no Base64, though its encoding says so", object.value["text"])
        }
        return bytes
    }

    static func kind(_ opcode: Int64, isEvent: Bool) -> MessageFacts.Kind {
        switch opcode {
        case -1: .error
        case _ where isEvent: .event
        case 2: .binary
        case 8: .close
        case 9: .ping
        case 10: .pong
        default: .text
        }
    }
}
