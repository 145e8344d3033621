import Platform

/// The present value of errno, which any later call may overwrite.
var lastError: CInt { errno }

/// The system's text for an error number.
func errorText(_ number: CInt) -> String { String(cString: strerror(number)) }

func isWouldBlock(_ number: CInt) -> Bool { number == EAGAIN || number == EWOULDBLOCK }
