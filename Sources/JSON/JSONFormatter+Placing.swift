// Which comment shares a line with what.
extension JSONFormatter.Outline {
    typealias Comment = JSONFormatter.Comment
    typealias Element = JSONFormatter.Element
    typealias Gap = JSONFormatter.Gap
    typealias Item = JSONFormatter.Item

    /// Adds the comments that lie before an item, or before the end.
    static func place(_ gap: Gap, beforeItem: Bool, in elements: inout [Element]) {
        var comments = gap.elements
        let isWithinLine = !gap.endsLine && comments.allSatisfy { !$0.startsLine }
        // What stands on one line with the next item belongs to that, not to the one before.
        if isWithinLine, beforeItem || elements.isEmpty, !comments.isEmpty { comments[0].startsLine = true }
        elements += comments
    }

    /// An item on a line of its own, unless a comment stands before it.
    static func element(_ item: Item, after gap: Gap) -> Element {
        Element(
            body: .item(item), startsLine: gap.elements.isEmpty || gap.endsLine, followsBlankLine: gap.hasBlankLine)
    }

    /// Takes the first comments that allow something behind them on their line.
    static func takeComments(from gap: inout Gap, where isMeant: (Element) -> Bool) -> [Comment] {
        var taken: [Comment] = []
        for element in gap.elements {
            guard case .comment(let comment) = element.body, comment.allowsMore, isMeant(element) else { break }
            taken.append(comment)
        }
        gap.elements.removeFirst(taken.count)
        return taken
    }

    /// Brings a comment nearer that a comma will be put before, so that columns of comments stay columns.
    static func makeRoomForComma(in gap: inout Gap) {
        guard let first = gap.elements.first, case .comment(var comment) = first.body else { return }
        comment.distance = max(1, comment.distance - 1)
        gap.elements[0].body = .comment(comment)
    }

    /// Moves comments that came between the last item's key and value to lines of their own before it.
    static func hoist(_ comments: [Element], in elements: inout [Element]) {
        guard !comments.isEmpty, let start = elements.lastIndex(where: \.startsLine) else { return }
        var comments = comments
        for index in comments.indices {
            comments[index].startsLine = true
            comments[index].followsBlankLine = false
        }
        comments[0].followsBlankLine = elements[start].followsBlankLine
        elements[start].followsBlankLine = false
        elements.insert(contentsOf: comments, at: start)
    }
}
