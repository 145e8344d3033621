import Bytes
import HTTP

/// A request as log and store name it.
struct RequestDescription {
    private(set) var method = ""
    private(set) var url = ""
    private(set) var version = ""

    init() {}

    /// - Parameter meant: the host that it is for, where it names another one.
    init(
        _ request: borrowing RequestHead, _ bytes: Span<UInt8>, _ meant: HostPorts.Meant?, isSecure: Bool,
        isStream: Bool
    ) {
        method = String(bytes.extracting(request.methodRange))
        version = isStream ? "HTTP/2" : request.version == .http10 ? "HTTP/1.0" : "HTTP/1.1"
        let isTLS = meant == nil && request.targetForm == .authority ? request.port == 443 : isSecure
        url = isTLS ? "https://" : "http://"
        url +=
            meant.map { String(decoding: $0.authority, as: UTF8.self) } ?? String(bytes.extracting(request.authority))
        if request.targetForm == .asterisk { url += "*" } else { url += String(bytes.extracting(request.pathAndQuery)) }
    }

    /// Describes a request that could not be read by its first line, as far as that goes.
    init(unreadable bytes: Span<UInt8>, isStream: Bool) {
        method = "-"
        version = isStream ? "HTTP/2" : "HTTP/1.1"
        var end = 0
        while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        var target = 0
        while target < end, bytes[target] != 0x20 { target += 1 }
        let hidden = userinfo(in: bytes, min(target + 1, end)..<end)
        let line = String(bytes.extracting(0..<hidden.lowerBound)) + String(bytes.extracting(hidden.upperBound..<end))
        url = String(line.prefix(80))
    }

    /// The same without the value of a query parameter.
    func hiding(parameter name: [UInt8]) -> RequestDescription {
        guard let mark = url.firstIndex(of: "?") else { return self }
        let parts = url[mark...].dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { part in
            let own = part.prefix { $0 != "=" }
            return FormCoding.decoded(Array(own.utf8)) == name ? own + "=%3Credacted%3E" : part
        }
        var hidden = self
        hidden.url = url[...mark] + parts.joined(separator: "&")
        return hidden
    }
}
