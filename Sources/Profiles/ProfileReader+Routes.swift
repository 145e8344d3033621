import JSON

extension ProfileReader {
    mutating func readRoute(_ value: JSONValue) {
        guard let members = members(of: value, "a route", Self.routeKeys) else { return }
        var host = HostPattern.any
        var path = PathPattern.all
        var methods: [String]?
        var headers: [(name: String, value: String?)] = []
        var responder: Responder?
        var preserveHost: (value: Bool, position: JSONPosition)?
        let before = problems.count
        for member in members {
            let value = member.value
            switch member.key {
            case "host":
                guard let written = text(value, "host") else { continue }
                do throws(PatternError) {
                    host = try HostPattern(reading: written, allowsLoopback: false)
                } catch {
                    report(value.position, error)
                }
            case "path":
                guard let written = text(value, "path") else { continue }
                do throws(PatternError) { path = try PathPattern(reading: written) } catch {
                    report(value.position, error)
                }
            case "method": methods = readMethods(value)
            case "headers": headers = readConditions(value)
            case "preserveHost":
                guard let flag = value.bool else {
                    wrongType(value, "preserveHost", "true or false")
                    continue
                }
                preserveHost = (flag, member.keyPosition)
            case "origin", "mock":
                if responder != nil {
                    report(member.keyPosition, "the route has an origin and a mock", "expected one of them")
                }
                responder = member.key == "mock" ? readMock(value) : readOrigin(value)
            default: break
            }
        }
        if let (flag, position) = preserveHost {
            if case .origin(let address, _) = responder {
                responder = .origin(address, preserveHost: flag)
            } else if before == problems.count {
                report(position, "preserveHost without an origin", "it says which Host an origin is sent")
            }
        }
        guard let responder else {
            if before == problems.count {
                report(value.position, "the route says not what answers", "expected \"origin\" or \"mock\"")
            }
            return
        }
        draft.routes.append(
            (RoutePattern(host: host, path: path, methods: methods, headers: headers), responder, value.position))
    }

    private mutating func readOrigin(_ value: JSONValue) -> Responder? {
        guard let url = text(value, "origin") else { return nil }
        do throws(PatternError) {
            return .origin(try OriginAddress(reading: url), preserveHost: false)
        } catch {
            report(value.position, error)
            return nil
        }
    }

    private mutating func readMethods(_ value: JSONValue) -> [String]? {
        var methods: [String] = []
        for (name, position) in texts(value, "method") {
            if name.isEmpty || !name.utf8.allSatisfy(Self.isToken) {
                report(position, "\"\(name)\" is no method", "expected a name such as \"GET\"")
            } else if name != name.uppercased() {
                report(
                    position, "the method \"\(name)\" has small letters, and methods count case (RFC 9110 9.1)",
                    "expected \"\(name.uppercased())\"")
            } else if !methods.contains(name) {
                methods.append(name)
            }
        }
        return methods.isEmpty ? nil : methods.sorted()
    }

    private mutating func readConditions(_ value: JSONValue) -> [(name: String, value: String?)] {
        guard let members = value.object else {
            wrongType(value, "headers", "an object of names and values")
            return []
        }
        var conditions: [(name: String, value: String?)] = []
        for member in members {
            guard !member.key.isEmpty, member.key.utf8.allSatisfy(Self.isToken) else {
                report(member.keyPosition, "\"\(member.key)\" is no field name", "expected one such as \"X-Beta\"")
                continue
            }
            switch member.value.kind {
            case .string(let text): conditions.append((member.key.lowercased(), text))
            case .bool(true): conditions.append((member.key.lowercased(), nil))
            default: wrongType(member.value, "the condition on \(member.key)", "a value, or true for any")
            }
        }
        return conditions.sorted { $0.name < $1.name }
    }

    private mutating func readMock(_ value: JSONValue) -> Responder? {
        guard let members = members(of: value, "a mock", Self.mockKeys) else { return nil }
        var status = 200
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var type: String?
        for member in members {
            let value = member.value
            switch member.key {
            case "status":
                guard let number = value.number?.int64, (200...599).contains(number) else {
                    report(value.position, "the mock's status is no final status", "expected a number from 200 to 599")
                    continue
                }
                status = Int(number)
            case "headers": headers = readFields(value)
            case "json":
                if type != nil { report(member.keyPosition, "the mock has json and text", "expected one of them") }
                var writer = JSONWriter()
                writer.value(value)
                body = writer.bytes
                type = "application/json"
            case "text":
                if type != nil { report(member.keyPosition, "the mock has json and text", "expected one of them") }
                body = Array((text(value, "text") ?? "").utf8)
                type = "text/plain; charset=utf-8"
            default: break
            }
        }
        if headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) > 16384 {
            report(value.position, "the mock's headers take more than 16 KiB", "expected fewer")
        }
        if let type, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(("Content-Type", type))
        }
        return .mock(Mock(status: status, headers: headers, body: body))
    }

    private mutating func readFields(_ value: JSONValue) -> [(name: String, value: String)] {
        guard let members = value.object else {
            wrongType(value, "headers", "an object of names and values")
            return []
        }
        var fields: [(name: String, value: String)] = []
        for member in members {
            guard !member.key.isEmpty, member.key.utf8.allSatisfy(Self.isToken) else {
                report(member.keyPosition, "\"\(member.key)\" is no field name", "expected one such as \"X-Beta\"")
                continue
            }
            if ["content-length", "transfer-encoding", "connection"].contains(member.key.lowercased()) {
                report(member.keyPosition, "\(member.key) is set by Shunt itself", "leave it out")
                continue
            }
            for (text, position) in texts(member.value, "the value of \(member.key)") {
                if text.utf8.contains(where: { ($0 < 0x20 && $0 != 9) || $0 == 0x7f }) {
                    report(position, "the value of \(member.key) has a control character", "expected one line of text")
                } else {
                    fields.append((member.key, text))
                }
            }
        }
        return fields
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
