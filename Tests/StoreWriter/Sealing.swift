import Age
import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension StoreSettings {
    /// Seals the store to the recipient in the environment, if there is one.
    mutating func sealIfAsked() throws {
        guard let text = getenv("SEAL_TO") else { return }
        var seal = SealSettings(recipients: [try X25519Recipient(String(cString: text))])
        seal.segment = getenv("SEAL_SEGMENT").flatMap { Int(String(cString: $0)) } ?? seal.segment
        self.seal = seal
    }
}
