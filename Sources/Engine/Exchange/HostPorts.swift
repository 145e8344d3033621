import HTTP
public import Profiles
import Reactor

/// Hosts that have a port of their own: a client reaches them by `localhost:PORT`, without DNS and without a proxy.
///
/// A request for a loopback name with one of these ports is routed, logged and recorded as one for the host itself.
public struct HostPorts: Sendable {
    /// A host as requests for it name it.
    struct Meant: Sendable {
        let host: ContiguousArray<UInt8>
        /// nil for the scheme's.
        let port: UInt16?
        let authority: ContiguousArray<UInt8>
    }

    private let hosts: [UInt16: Meant]

    public init(_ hosts: [UInt16: NamedHost] = [:]) {
        self.hosts = hosts.mapValues {
            Meant(
                host: ContiguousArray($0.host.utf8), port: $0.port, authority: ContiguousArray($0.authority.utf8))
        }
    }

    /// The host that a request is for; nil if it is for the host that it names.
    func meant(by head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Meant? {
        guard !hosts.isEmpty, let port = head.port, let meant = hosts[port] else { return nil }
        let name = String(bytes.extracting(head.host)).lowercased().filter { $0 != "[" && $0 != "]" }
        return name == "localhost" || SocketAddress(literal: name, port: 0)?.isLoopback == true ? meant : nil
    }
}
