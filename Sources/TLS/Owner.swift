import Bytes
import COpenSSL
import Platform

/// The owner's name of an authority, which distinguishes several in a trust store.
enum Owner {
    /// As in "Shunt development CA (ada@engine 4f1c09)": at most 64 characters (RFC 5280, ub-common-name).
    ///
    /// No comma in it: RFC 2253 would have it shown behind a backslash.
    static func commonName() -> String {
        var id = [UInt8](repeating: 0, count: 3)
        RAND_bytes(&id, CInt(id.count))
        let who = "\(plain(user).prefix(12))@\(plain(machine).prefix(16))"
        return "Shunt development CA (\(who) \(Hex.text(id)))"
    }

    private static var user: String {
        if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
        return getenv("USER").map { String(cString: $0) } ?? "somebody"
    }

    private static var machine: String {
        hostName().map { String($0.prefix { $0 != "." }) } ?? "somewhere"
    }

    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.filter { (0x21...0x7E).contains($0.value) && $0 != "," }.map { Character($0) })
    }
}
