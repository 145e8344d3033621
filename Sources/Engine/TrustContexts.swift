import Platform
import Profiles
import Synchronization
import TLS

/// TLS towards origins by trust policy: a context stays from one environment to the next as long as the files that its
/// policy names have the same content.
///
/// Shared by all threads.
final class TrustContexts: Sendable {
    private struct Entry {
        let context: ClientContext
        let content: [String: [UInt8]]
    }

    private let entries = Mutex<[TrustPolicy: Entry]>([:])
    private let earlier: [TrustPolicy: Entry]
    private let system: [UInt64]
    /// The system's authorities are those of the earlier environment.
    private let keepsSystem: Bool

    init(after earlier: TrustContexts?) {
        system = SystemAuthorities.state
        self.earlier = earlier?.entries.withLock { $0 } ?? [:]
        keepsSystem = earlier?.system == system
    }

    /// The context of a policy, if it is there already.
    func known(_ policy: TrustPolicy) -> ClientContext? { entries.withLock { $0[policy]?.context } }

    /// The context of a policy; reads the files that it names, unless it is known.
    func context(_ policy: TrustPolicy) throws(TLSFailure) -> ClientContext {
        if let known = known(policy) { return known }
        // Before the context reads them: what changes meanwhile counts at the next reading.
        let content = Self.content(of: policy)
        let same = keepsSystem ? earlier[policy].flatMap { $0.content == content ? $0.context : nil } : nil
        let made = if let same { same } else { try ClientContext(policy) }
        return entries.withLock { entries in
            // Another thread may have been faster.
            if let first = entries[policy] { return first.context }
            entries[policy] = Entry(context: made, content: content)
            return made
        }
    }

    /// Files with other content than in the earlier environment.
    var changedFiles: [String] {
        entries.withLock { entries in
            let pairs = entries.compactMap { policy, entry in earlier[policy].map { (entry.content, $0.content) } }
            return Set(pairs.flatMap { now, before in now.keys.filter { now[$0] != before[$0] } }).sorted()
        }
    }

    /// A digest of each file; of one that cannot be read, none.
    private static func content(of policy: TrustPolicy) -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for file in policy.files {
            guard let bytes = try? Files.read(file, limit: 4 << 20), let digest = sha256(bytes.span) else { continue }
            content[file] = digest
        }
        if case .variable(let name)? = policy.connection.clientCertificate?.passphrase, let value = getenv(name) {
            content["$" + name] = sha256(Array(String(cString: value).utf8).span)
        }
        return content
    }
}
