import Platform

/// The present value of errno, which any later call may overwrite.
var lastError: CInt { errno }

/// The system's text for an error number.
func errorText(_ number: CInt) -> String { String(cString: strerror(number)) }

func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, room.baseAddress, room.count)
}

func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

func isWouldBlock(_ number: CInt) -> Bool { number == EAGAIN || number == EWOULDBLOCK }
