/// An element of XML, or of Android's binary form of it.
struct MarkupElement {
    var name: String
    var attributes: [(name: String, value: String)] = []
    var children: [MarkupElement] = []
    /// Its own text, in one piece.
    var text = ""
    /// 1-based; nil in binary files.
    var line: Int?

    subscript(_ attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

/// Why a file cannot be read, as a clause.
struct LintFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
