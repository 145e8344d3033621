/// A command line that cannot be understood; ends with status 64 (EX_USAGE of sysexits.h).
struct UsageError: Error {
    let message: String
    /// The next step, where there is a better one than reading the help.
    let advice: String?

    init(_ message: String, advice: String? = nil) { (self.message, self.advice) = (message, advice) }

    /// What `body` returns; an error gets a beginning, such as the option, and a next step.
    static func of<Value>(_ what: String? = nil, advice: String? = nil, _ body: () throws -> Value) throws -> Value {
        do { return try CommandFailure.of(what, advice: advice, body) } catch {
            let failure = CommandFailure(error)
            throw UsageError(failure.message, advice: failure.advice)
        }
    }
}
