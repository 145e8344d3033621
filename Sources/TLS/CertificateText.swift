import COpenSSL
import Platform

/// A distinguished name as in RFC 2253, UTF-8 left readable and control characters escaped.
func certificateName(_ name: OpaquePointer?) -> String {
    text { shunt_X509_NAME_print($0, name) >= 0 }
}

/// The DNS names and IP addresses of the subjectAltName.
func certificateHosts(_ certificate: OpaquePointer) -> [String] {
    guard let names = shunt_X509_names(certificate) else { return [] }
    defer { shunt_names_free(names) }
    var hosts: [String] = []
    for index in 0..<shunt_names_count(names) {
        var kind: CInt = 0
        var count: CInt = 0
        guard let bytes = shunt_name_at(names, index, &kind, &count), count >= 0 else { continue }
        let raw = UnsafeBufferPointer(start: bytes, count: Int(count))
        if kind == GEN_IPADD {
            if let address = addressText(raw) { hosts.append(address) }
        } else {
            // Names of a certificate are printed on terminals.
            hosts.append(
                String(decoding: raw.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self))
        }
    }
    return hosts
}

private func addressText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var room = [CChar](repeating: 0, count: 64)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    return inet_ntop(family, bytes.baseAddress, &room, socklen_t(room.count)).map { String(cString: $0) }
}

/// An ASN.1 time in ISO 8601, UTC.
func timeText(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "?" }
    func two(_ value: CInt) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return "\(day)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
}

/// The output of `print` to a memory BIO; empty if it fails.
func text(_ print: (OpaquePointer) -> Bool) -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(bio) }
    guard print(bio) else { return "" }
    var data: UnsafeMutablePointer<CChar>?
    let count = shunt_BIO_mem_data(bio, &data)
    guard let data, count > 0 else { return "" }
    return data.withMemoryRebound(to: UInt8.self, capacity: count) {
        String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
    }
}

/// A certificate as DER; empty when OpenSSL is out of memory.
func der(of certificate: OpaquePointer) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = shunt_X509_to_DER(certificate, &bytes)
    defer { shunt_free(bytes) }
    guard let bytes, count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
}
