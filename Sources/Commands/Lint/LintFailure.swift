import Contracts

/// Why a file cannot be read, as a clause.
struct LintFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension MarkupElement {
    /// The root of a file of XML.
    static func root(of bytes: [UInt8]) throws(LintFailure) -> MarkupElement {
        do throws(XMLFailure) { return try XMLReader.read(bytes) } catch { throw LintFailure(error.message) }
    }
}
