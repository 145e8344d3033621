#if canImport(Darwin)
import Platform

/// send(2), under a name that a type with a method of its own called `send` can still reach.
func systemSend(_ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    // On Darwin the socket's owner sets SO_NOSIGPIPE instead of a flag here.
    send(descriptor, bytes, count, 0)
}

/// recv(2) without flags.
func systemReceive(_ descriptor: CInt, _ room: UnsafeMutableRawPointer, _ count: Int) -> Int {
    recv(descriptor, room, count, 0)
}
#endif
