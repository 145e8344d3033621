#if os(Linux) && !SHUNT_KQUEUE
import Bytes
import CSystem
import Platform

extension Socket {
    /// Sends bytes of a file as far as the system takes them, without copying them through this process.
    ///
    /// - Returns: how many went; 0 with a socket that could be written to means that the file has ended.
    public func send(_ file: OpenFile, from offset: UInt64, count: Int) throws(SystemError) -> Int {
        guard readiness.pointee.isWritable else { return 0 }
        var position = off_t(offset)
        while true {
            let sent = sendfile(descriptor, file.descriptor, &position, count)
            if sent >= 0 { return sent }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                readiness.pointee.isWritable = false
                return 0
            default: throw .last("sendfile")
            }
        }
    }
}
#endif
