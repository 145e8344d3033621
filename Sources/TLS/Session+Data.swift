import Bytes
import COpenSSL

extension Session {
    /// Reads what has come, several records if they are there and fit.
    ///
    /// It asks the socket again only while the socket is known to be readable.
    public func read(into room: UnsafeMutableRawBufferPointer) throws(TLSFailure) -> SessionOutcome {
        if let deferredFailure { throw deferredFailure }
        guard let base = room.baseAddress, !room.isEmpty else { return .bytes(0) }
        var total = 0
        repeat {
            var count = 0
            ErrorStack.clear()
            let result = SSL_read_ex(ssl, base + total, room.count - total, &count)
            if result != 1 {
                let reason = SSL_get_error(ssl, result)
                if reason == SSL_ERROR_WANT_READ { break }
                if reason == SSL_ERROR_WANT_WRITE { return total > 0 ? .bytes(total) : .wantWrite }
                if reason == SSL_ERROR_ZERO_RETURN {
                    if let callbackFailure { throw broken(callbackFailure) }
                    return total > 0 ? .bytes(total) : .end(clean: !wire.pointee.sawEnd)
                }
                let failure = broken(dataFailure(reason))
                if total == 0 { throw failure }
                deferredFailure = failure
                return .bytes(total)
            }
            total += count
        } while total < room.count && (wire.pointee.readiness.pointee.isReadable || SSL_has_pending(ssl) == 1)
        if total > 0 { return .bytes(total) }
        // Responses of the protocol itself may have accumulated meanwhile.
        if wire.pointee.waiting > 0 { wire.pointee.send() }
        return wire.pointee.isWriteBlocked ? .wantWrite : .wantRead
    }

    /// Encrypts and sends; `.bytes(n)` says that n bytes are taken, though some of them may wait for ``flush()``.
    ///
    /// More than one record's worth is sent in gathered writes. At most ``SocketBIO/limit`` and one record wait in
    /// memory.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) -> SessionOutcome {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return try flush() }
        if wire.pointee.waiting > 0 {
            guard try flush() == .bytes(0) else { return .wantWrite }
        }
        wire.pointee.isGathering = bytes.count > 16 * 1024
        var total = 0
        while total < bytes.count {
            var count = 0
            ErrorStack.clear()
            let result = SSL_write_ex(ssl, base + total, bytes.count - total, &count)
            if result != 1 {
                wire.pointee.isGathering = false
                let reason = SSL_get_error(ssl, result)
                if total > 0 { break }
                if reason == SSL_ERROR_WANT_READ { return .wantRead }
                if reason == SSL_ERROR_WANT_WRITE { return .wantWrite }
                throw broken(dataFailure(reason))
            }
            total += count
            if wire.pointee.waiting >= SocketBIO.limit - 1024 {
                wire.pointee.send()
                if wire.pointee.waiting > 0 { break }
            }
        }
        wire.pointee.isGathering = false
        wire.pointee.send()
        try throwSendError()
        return .bytes(total)
    }

    /// Sends waiting bytes: `.bytes(0)` says that none remain.
    ///
    /// Costs nothing when none wait.
    public func flush() throws(TLSFailure) -> SessionOutcome {
        if wire.pointee.waiting > 0 { wire.pointee.send() }
        try throwSendError()
        return wire.pointee.waiting == 0 ? .bytes(0) : .wantWrite
    }

    /// Gives back the record buffers of a session that has nothing to do; the next record takes new ones.
    ///
    /// Not after each record, as SSL_MODE_RELEASE_BUFFERS would: that costs four allocations a request.
    public func rest() { SSL_free_buffers(ssl) }

    /// Says close_notify if that is possible at once; never blocks, never fails.
    public func shutdown() {
        guard isEstablished, !isBroken, wire.pointee.sendError == 0 else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
        wire.pointee.send()
        ERR_clear_error()
    }

    private func throwSendError() throws(TLSFailure) {
        let error = wire.pointee.sendError
        if error != 0 { throw broken(.system(error, "the connection to the \(peer) broke")) }
    }

    private func dataFailure(_ reason: CInt) -> TLSFailure {
        let stack = ErrorStack.take()
        if let callbackFailure { return callbackFailure }
        if let code = stack.tlsReason { return commonFailure(code, stack) }
        if let failure = systemFailure() { return failure }
        let text = stack.entries.isEmpty ? "error \(reason)" : stack.text
        return TLSFailure(.protocolError, "the TLS connection to the \(peer) broke: \(text)")
    }
}
