import Bytes
import TLS

extension ExpectationReport {
    /// 32 hexadecimal digits.
    static func fingerprint(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return Hex.text(Array((sha256(bytes.span) ?? bytes).prefix(16)))
    }
}
