/// An element of XML, or of Android's binary form of it.
package struct MarkupElement: Sendable {
    package var name: String
    package var attributes: [(name: String, value: String)] = []
    package var children: [MarkupElement] = []
    /// Its own text, in one piece.
    package var text = ""
    /// 1-based; nil in binary files.
    package var line: Int?

    package init(name: String, line: Int? = nil) { (self.name, self.line) = (name, line) }

    package subscript(_ attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
}

/// Why a text is no XML, as a clause.
package struct XMLFailure: Error {
    package let message: String

    init(_ message: String) { self.message = message }
}
