import Bytes
import HTTP
import Profiles
import Rewriting

extension AppliedEdits {
    /// Changes the fields of a response that lie in `output` from `mark` on; false if they do not fit.
    ///
    /// - Parameter own: where the origin's fields begin; Shunt's own lie in front.
    func changeResponse(
        _ output: inout Buffer, from mark: Int, own: Int, in exchange: ClientExchange
    ) -> Bool {
        var fits = true
        if plan.mapsAddresses || plan.mapsCookies {
            let head = exchange.request.head
            let authority = exchange.request.text(head.authority).lowercased()
            fits = replace(&output, from: own) { fields in
                let mapped =
                    ResponsePaths(plan, isSecure: exchange.client.isSecure, authority: authority)?.applied(to: fields)
                    ?? fields
                if mapped != fields { exchange.metrics.changes.insert(.path) }
                return mapped
            }
        }
        if let headers = plan.response?.headers, !headers.isEmpty {
            exchange.metrics.changes.insert(.responseHeaders)
            fits = fits && replace(&output, from: mark) { headers.applied(to: $0) }
        }
        if let injection {
            fits =
                fits
                && replace(&output, from: mark) { fields in
                    FieldLines.changed(fields) { name, value in
                        guard name.hasPrefix("content-security-policy"), let other = injection.allowing(value) else {
                            return nil
                        }
                        exchange.metrics.changes.insert(.securityPolicy)
                        return other
                    }
                }
        }
        return fits
    }
}

/// Brings locations and cookies of an origin back to the paths that clients know.
private struct ResponsePaths {
    let plan: RouteEdits
    let paths: PathChanges
    /// The client's own; under another scheme, a host may be another server.
    let scheme: String
    /// As the client named it, in lower case.
    let authority: String

    init?(_ plan: RouteEdits, isSecure: Bool, authority: String) {
        guard let paths = plan.request?.path else { return nil }
        self.plan = plan
        self.paths = paths
        self.authority = authority
        scheme = isSecure ? "https://" : "http://"
    }

    func applied(to fields: [UInt8]) -> [UInt8] {
        FieldLines.changed(fields) { name, value in
            switch name {
            case "location", "content-location": plan.mapsAddresses ? location(value) : nil
            case "set-cookie": plan.mapsCookies ? cookie(value) : nil
            default: nil
            }
        }
    }

    /// A path from the root, or a URL of the address that the client uses; others are not the origin's.
    private func location(_ value: String) -> String? {
        var front = ""
        if !value.hasPrefix("/") || value.hasPrefix("//") {
            let scheme = [scheme, "//"].first { value.lowercased().hasPrefix($0) }
            guard let scheme, value.dropFirst(scheme.count).lowercased().hasPrefix(authority) else { return nil }
            front = String(value.prefix(scheme.count + authority.count))
        }
        let rest = value.dropFirst(front.count)
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        guard path.hasPrefix("/"), let mapped = paths.forClient(Array(path.utf8)) else { return nil }
        return front + String(decoding: mapped, as: UTF8.self) + rest[path.endIndex...]
    }

    private func cookie(_ value: String) -> String? {
        var isChanged = false
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).enumerated().map { at, part in
            guard at > 0, let equals = part.firstIndex(of: "="),
                part[..<equals].filter({ !$0.isWhitespace }).lowercased() == "path",
                let mapped = paths.forClient(Array(part[part.index(after: equals)...].filter { $0 != " " }.utf8))
            else { return String(part) }
            isChanged = true
            return part[...equals] + String(decoding: mapped, as: UTF8.self)
        }
        return isChanged ? parts.joined(separator: ";") : nil
    }
}

/// Field lines as text, for rare cases.
enum FieldLines {
    /// - Parameter change: gets a name in lower case and its value; nil leaves the line unchanged.
    static func changed(_ fields: [UInt8], _ change: (_ name: String, _ value: String) -> String?) -> [UInt8] {
        var result: [UInt8] = []
        for line in fields.split(separator: 0x0A) {
            let (name, value) = parts(line)
            if let other = change(name.lowercased(), value) {
                result += "\(name): \(other)\r\n".utf8
            } else {
                result += line
                result.append(0x0A)
            }
        }
        return result
    }

    /// The values of all fields of a name in lower case.
    static func values(of name: String, in fields: [UInt8]) -> [String] {
        fields.split(separator: 0x0A).map { parts($0) }.filter { $0.name.lowercased() == name }.map(\.value)
    }

    private static func parts(_ line: ArraySlice<UInt8>) -> (name: String, value: String) {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 || last == 0x0D { value = value.dropLast() }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}
