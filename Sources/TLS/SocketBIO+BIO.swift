import COpenSSL

/// OpenSSL's view of a ``SocketBIO``: a BIO method made once for the whole process.
extension SocketBIO {
    /// A BIO over the object, which must outlive it.
    static func makeBIO(_ wire: UnsafeMutablePointer<SocketBIO>) -> OpaquePointer? {
        guard let method = method.pointer, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, wire)
        BIO_set_init(bio, 1)
        return bio
    }

    /// Immutable once made, hence shareable.
    private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    private static let method: Method = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "shunt socket")
        BIO_meth_set_read(method) { bio, into, count in
            guard let wire = SocketBIO.of(bio), let into, count > 0 else { return -1 }
            shunt_BIO_clear_retry(bio)
            guard let n = wire.pointee.receive(into, Int(count)) else {
                shunt_BIO_set_retry_read(bio)
                return -1
            }
            return CInt(n)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let wire = SocketBIO.of(bio), let bytes, count > 0 else { return -1 }
            shunt_BIO_clear_retry(bio)
            wire.pointee.accept(bytes, Int(count))
            return count
        }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in
            switch command {
            // Unsent bytes wait in the ``SocketBIO``; the session sends them.
            case BIO_CTRL_FLUSH: return 1
            case BIO_CTRL_EOF: return SocketBIO.of(bio)?.pointee.sawEnd == true ? 1 : 0
            default: return 0
            }
        }
        return Method(pointer: method)
    }()

    @inline(__always)
    private static func of(_ bio: OpaquePointer?) -> UnsafeMutablePointer<SocketBIO>? {
        BIO_get_data(bio)?.assumingMemoryBound(to: SocketBIO.self)
    }
}
