import Bytes
import Platform

/// A listening socket, before and beside the loops that accept from it.
public final class Listener: Sendable {
    private let descriptor: CInt
    /// Where it listens, with the port that the system chose if 0 was asked for.
    public let address: SocketAddress

    /// Binds and listens.
    ///
    /// With `sharing`, several listeners may hold the same address (SO_REUSEPORT).
    public init(_ address: SocketAddress, sharing: Bool) throws(SystemError) {
        let descriptor = try SystemCall.makeSocket(domain: address.domain)
        do throws(SystemError) {
            SystemCall.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            if sharing { SystemCall.setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
            if address.family == .ipv6 {
                SystemCall.setOption(descriptor, CInt(IPPROTO_IPV6), CInt(IPV6_V6ONLY), 1)
            }
            guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else { throw .last("bind") }
            guard listen(descriptor, 1024) == 0 else { throw .last("listen") }
        } catch {
            SystemCall.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.address = SocketAddress.read(descriptor, getsockname) ?? address
    }

    deinit { SystemCall.close(descriptor) }

    /// Gives a loop a handle of its own of the listening socket.
    public func attach(to core: LoopCore) throws(SystemError) -> Socket {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .last("fcntl") }
        guard DescriptorReserve.spares(copy) else {
            SystemCall.close(copy)
            throw SystemError("fcntl", code: EMFILE)
        }
        return try Socket(copy, core)
    }
}

extension Socket {
    /// Accepts one connection from a listening socket; nil when none waits.
    public func accept() throws(SystemError) -> CInt? {
        guard readiness.pointee.isReadable else { return nil }
        guard let accepted = try SystemCall.accept(descriptor) else {
            readiness.pointee.isReadable = false
            return nil
        }
        return accepted
    }
}
