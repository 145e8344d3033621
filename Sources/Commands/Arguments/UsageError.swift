/// A command line that cannot be understood; ends with status 64 (EX_USAGE of sysexits.h).
struct UsageError: Error {
    let message: String
    /// The next step, where there is a better one than reading the help.
    let advice: String?

    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}
