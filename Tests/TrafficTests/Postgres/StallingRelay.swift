import Foundation
import Synchronization
import TestSupport

/// A relay on loopback that can stop passing bytes, as a network that was cut does, without closing anything.
final class StallingRelay: Sendable {
    let port: UInt16
    private let target: UInt16
    private let listener: Int32
    private let isStalled = Mutex(false)
    private let sent = Mutex<[UInt8]>([])

    init(to target: UInt16) throws {
        self.target = target
        // Its ends are closed while bytes are on their way.
        signal(SIGPIPE, SIG_IGN)
        let listener = Self.socket()
        self.listener = listener
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = listen(listener, 16)
                _ = getsockname(listener, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        startThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.serve(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Whether the server was sent this text.
    func hasSent(_ text: String) -> Bool {
        sent.withLock { Data($0).range(of: Data(text.utf8)) != nil }
    }

    func stall() { isStalled.withLock { $0 = true } }
    func resume() { isStalled.withLock { $0 = false } }

    private func serve(_ client: Int32) {
        let server = Self.socket()
        var address = Self.address(target)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        for (source, sink) in [(client, server), (server, client)] {
            startThread { [weak self] in
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let count = read(source, &bytes, bytes.count)
                    guard count > 0 else { break }
                    if source == client { self?.sent.withLock { $0 += bytes[..<count] } }
                    while self?.isStalled.withLock({ $0 }) ?? false { usleep(10_000) }
                    guard write(sink, bytes, count) == count else { break }
                }
                shutdown(source, Int32(SHUT_RDWR))
                shutdown(sink, Int32(SHUT_RDWR))
            }
        }
    }

    private static func socket() -> Int32 {
        #if canImport(Glibc)
        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
