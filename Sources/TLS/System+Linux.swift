#if canImport(Glibc)
import CSystem

/// send(2), under a name that a type with a method of its own called `send` can still reach.
func systemSend(_ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    shunt_send(descriptor, bytes, UInt(count))
}

/// recv(2) without flags.
func systemReceive(_ descriptor: CInt, _ room: UnsafeMutableRawPointer, _ count: Int) -> Int {
    shunt_recv(descriptor, room, UInt(count))
}
#endif
