import HTTP2
import Profiles

/// What an origin speaks instead of HTTP/1.1, by its first bytes, and what to write into the route then.
struct ForeignProtocol {
    let what: String
    let advice: String

    init?(_ bytes: Span<UInt8>, of origin: OriginAddress) {
        guard bytes.count >= 5 else { return nil }
        if (0x14...0x17).contains(bytes[0]), bytes[1] == 3 {
            // A record of TLS (RFC 8446 5.1), mostly an alert about the request that was no hello.
            what = "responded with TLS"
            advice = "Write https://\(origin.authority) in the route."
        } else if bytes.count >= 9, bytes[3] == 4, bytes[4] & 1 == 0, bytes[0] == 0,
            (5..<9).allSatisfy({ bytes[$0] == 0 })
        {
            // SETTINGS, with which HTTP/2 begins (RFC 9113 3.4).
            what = "responded with HTTP/2"
            advice = "Write h2c://\(origin.authority) in the route."
        } else {
            return nil
        }
    }

    func failure(_ origin: OriginAddress) -> EngineFailure { .lost(origin, .wait, what, advice: advice) }
}
