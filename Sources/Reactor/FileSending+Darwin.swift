#if canImport(Darwin) || SHUNT_KQUEUE
import Bytes
import Platform

#if SHUNT_KQUEUE
import CKqueue
#endif

extension Socket {
    /// Sends bytes of a file as far as the system takes them, without copying them through this process.
    ///
    /// - Returns: how many went; 0 with a socket that could be written to means that the file has ended.
    public func send(_ file: OpenFile, from offset: UInt64, count: Int) throws(SystemError) -> Int {
        // The system takes a length of 0 for the rest of the file.
        guard readiness.pointee.isWritable, count > 0 else { return 0 }
        while true {
            var length = off_t(count)
            // SO_NOSIGPIPE is set on the socket. What went before an interruption counts.
            if sendfile(file.descriptor, descriptor, off_t(offset), &length, nil, 0) == 0 { return Int(length) }
            let code = errno
            if code == EAGAIN { readiness.pointee.isWritable = false }
            if length > 0 || code == EAGAIN { return Int(length) }
            if code != EINTR { throw SystemError("sendfile", code: code) }
        }
    }
}
#endif
