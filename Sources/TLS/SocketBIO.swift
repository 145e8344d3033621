import Bytes
import COpenSSL
import Platform

/// The socket of one session, for OpenSSL's BIO callbacks.
///
/// It accepts every byte OpenSSL wants to send: bytes that the socket does not take wait in a buffer, which is freed as
/// soon as it is empty. So OpenSSL never holds a half-sent record, and a write can always be repeated with other bytes.
/// The session bounds the waiting bytes: it writes no further record past ``limit``.
struct SocketBIO {
    /// Bytes waiting for the socket beyond which no record is added.
    static let limit = 64 * 1024
    /// Four full records and their overhead, sent in one gathered write.
    private static let gatheredCapacity = 4 * (16 * 1024 + 256)

    let readiness: UnsafeMutablePointer<Readiness>
    /// Records are collected instead of sent one by one; ``send()`` has to be called afterwards.
    var isGathering = false
    /// The peer closed the connection (end of file, not close_notify).
    var sawEnd = false
    var receiveError: CInt = 0
    var sendError: CInt = 0
    private var output: UnsafeMutableRawPointer?
    private var capacity = 0
    private var start = 0
    private var end = 0

    init(_ readiness: UnsafeMutablePointer<Readiness>) { self.readiness = readiness }

    var waiting: Int { end - start }

    /// More waits than writes alone can leave: nothing is read before some of it is sent.
    var isWriteBlocked: Bool { waiting > 2 * Self.limit }

    /// Reads from the socket; nil if it has no bytes now.
    mutating func receive(_ into: UnsafeMutableRawPointer, _ count: Int) -> Int? {
        // A peer that makes us respond (KeyUpdate, RFC 8446, 4.6.3) and never reads must not fill our memory.
        guard readiness.pointee.isReadable, !isWriteBlocked else { return nil }
        while true {
            let n = systemReceive(readiness.pointee.descriptor, into, count)
            if n > 0 {
                if n < count && !readiness.pointee.isHungUp { readiness.pointee.isReadable = false }
                return n
            }
            if n == 0 {
                sawEnd = true
                return 0
            }
            let error = lastError
            if error == EINTR { continue }
            if isWouldBlock(error) {
                readiness.pointee.isReadable = false
                return nil
            }
            receiveError = error
            return -1
        }
    }

    /// Takes bytes for the socket: all of them, always.
    mutating func accept(_ bytes: UnsafeRawPointer, _ count: Int) {
        var sent = 0
        if !isGathering && start == end { sent = transmit(bytes, count) }
        if sent < count && sendError == 0 { keep(bytes + sent, count - sent) }
    }

    /// Sends waiting bytes, as far as the socket takes them.
    mutating func send() {
        guard let output, start < end else { return }
        start += transmit(output + start, end - start)
        if start == end || sendError != 0 { dropOutput() }
    }

    mutating func dropOutput() {
        free(output)
        output = nil
        capacity = 0
        start = 0
        end = 0
    }

    /// The number of bytes the socket took.
    private mutating func transmit(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        var sent = 0
        while sent < count && readiness.pointee.isWritable && sendError == 0 {
            let n = systemSend(readiness.pointee.descriptor, bytes + sent, count - sent)
            if n >= 0 {
                sent += n
                continue
            }
            let error = lastError
            if error == EINTR { continue }
            if isWouldBlock(error) { readiness.pointee.isWritable = false } else { sendError = error }
        }
        return sent
    }

    private mutating func keep(_ bytes: UnsafeRawPointer, _ count: Int) {
        if output == nil || capacity - end < count {
            if let output, start > 0 {
                memmove(output, output + start, end - start)
                end -= start
                start = 0
            }
            if capacity - end < count {
                let wanted = max(end + count, isGathering ? Self.gatheredCapacity : 0)
                guard let grown = realloc(output, wanted) else {
                    sendError = ENOMEM
                    return
                }
                output = grown
                capacity = wanted
            }
        }
        guard let output else { return }
        memcpy(output + end, bytes, count)
        end += count
    }
}
