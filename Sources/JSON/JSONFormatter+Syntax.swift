// What the layout needs to know of a text: ranges of its bytes, its comments, and where its lines broke.
extension JSONFormatter {
    struct Comment {
        let range: Range<Int>
        /// Something may follow on its line: it is neither a `//` comment nor one of several lines.
        let allowsMore: Bool
        /// The white space before it, if nothing else stands before it on its line.
        let indentation: Range<Int>?
        /// How many spaces keep it from what stands before it on its line, 1 or more.
        var distance: Int
    }

    /// An array or an object.
    struct Structure {
        let opening: UInt8
        let closing: UInt8
        let isOnOneLine: Bool
        let elements: [Element]
    }

    enum Value {
        /// A string, a number, or a word.
        case primitive(Range<Int>)
        indirect case structure(Structure)
    }

    /// A member of an object, a value of an array, or the value that is the text.
    struct Item {
        var key: Range<Int>?
        /// Those that allow more.
        var commentsBeforeColon: [Comment] = []
        /// Those that allow more.
        var commentsAfterColon: [Comment] = []
        let value: Value
        /// Those that allow more, between the value and its comma.
        var commentsBeforeComma: [Comment] = []
    }

    /// What lines are made of.
    struct Element {
        enum Content {
            case comment(Comment)
            case item(Item)
        }

        var body: Content
        /// Stands first on its line when its structure is spread.
        var startsLine: Bool
        var followsBlankLine: Bool
    }

    /// What lies between two tokens.
    struct Gap {
        /// Comments only.
        var elements: [Element] = []
        /// A line ends behind the last comment.
        var endsLine = false
        /// An empty line is behind the last comment.
        var hasBlankLine = false
    }
}
