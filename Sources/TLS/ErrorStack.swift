import COpenSSL

/// The calling thread's OpenSSL errors, oldest first, taken off its stack.
///
/// Valid only right after the call that failed, and only if ``clear()`` came before that call.
struct ErrorStack {
    struct Entry {
        /// The reason code within its library.
        let reason: Int
        let isFromTLS: Bool
        let text: String
    }

    let entries: [Entry]

    /// Empties the stack, as must be before each call whose error is to be read.
    ///
    /// Only if there is an error, since emptying visits all sixteen entries, which shows in a profile.
    @inline(__always)
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    static func take() -> ErrorStack {
        var entries: [Entry] = []
        var data: UnsafePointer<CChar>?
        var flags: CInt = 0
        while true {
            let code = ERR_get_error_all(nil, nil, nil, &data, &flags)
            if code == 0 { return ErrorStack(entries: entries) }
            var text = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
            if flags & ERR_TXT_STRING != 0, let data, data[0] != 0 { text += " (\(String(cString: data)))" }
            entries.append(
                Entry(reason: Int(ERR_GET_REASON(code)), isFromTLS: ERR_GET_LIB(code) == ERR_LIB_SSL, text: text))
        }
    }

    /// The first error of the TLS library itself: a fault of the peer, or its alert.
    var tlsReason: Int? { entries.first(where: \.isFromTLS)?.reason }

    /// All of it in one line.
    var text: String { entries.map(\.text).joined(separator: "; ") }
}
