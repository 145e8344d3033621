import Bytes
import Exchanges
import Redaction
import Synchronization

/// The chains of certificates that exchanges refer to, from their connections to the writer.
final class KnownChains: Sendable {
    private struct State {
        var chains: [String: CertificateChain] = [:]
        /// The oldest first.
        var names: [String] = []
    }

    /// Origins that make a certificate for each connection could fill the memory.
    private static let limit = 1024
    private let state = Mutex(State())

    func add(_ chain: CertificateChain) {
        state.withLock { state in
            guard state.chains.updateValue(chain, forKey: chain.name) == nil else { return }
            state.names.append(chain.name)
            guard state.names.count > Self.limit else { return }
            state.chains[state.names.removeFirst()] = nil
        }
    }

    subscript(name: String) -> CertificateChain? { state.withLock { $0.chains[name] } }
}

/// The chains of a batch, so that each is written once.
struct ChainTable {
    var known: KnownChains?
    private var written: Set<String> = []

    /// The chain, unless the batch has it already.
    mutating func take(_ name: String) -> CertificateChain? {
        guard let chain = known?[name], written.insert(name).inserted else { return nil }
        return chain
    }

    mutating func removeAll() { written.removeAll(keepingCapacity: true) }
}

extension WriteBatch {
    /// Adds the rows of a chain that a context names.
    ///
    /// - Parameter number: the number of the context.
    mutating func addCertificates(of name: String, _ state: borrowing RunningExchange, _ number: Value) {
        guard let chain = chains.take(name) else { return }
        for (index, certificate) in chain.certificates.enumerated() {
            let (subject, issuer) = (
                redacted(certificate.subject, state.secrets), redacted(certificate.issuer, state.secrets)
            )
            let mark = mark
            add(number)
            add(text: name)
            add(Int64(index))
            add(text: subject)
            add(text: issuer)
            add(text: certificate.notAfter)
            add(text: certificate.publicKey)
            end(.certificate, at: mark)
        }
    }

    /// Origins choose the names in their certificates.
    private mutating func redacted(_ text: String, _ secrets: RecordingRedaction?) -> Place {
        guard let secrets else { return append(text) }
        let start = bytes.count
        Array(text.utf8).withSpan { secrets.redact(text: $0, isCut: false, into: &bytes) }
        return start..<bytes.count
    }
}
