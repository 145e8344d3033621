#if canImport(Glibc)
import CSystem
import Glibc

/// The present value of errno, which any later call may overwrite.
var lastError: CInt { errno }

/// The system's text for an error number.
func errorText(_ number: CInt) -> String { String(cString: strerror(number)) }

/// send(2), under a name that a type with a method of its own called `send` can still reach.
func systemSend(_ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    shunt_send(descriptor, bytes, UInt(count))
}

/// recv(2) without flags.
func systemReceive(_ descriptor: CInt, _ room: UnsafeMutableRawPointer, _ count: Int) -> Int {
    shunt_recv(descriptor, room, UInt(count))
}

func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, room.baseAddress, room.count)
}

func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

func isWouldBlock(_ number: CInt) -> Bool { number == EAGAIN || number == EWOULDBLOCK }
#endif
