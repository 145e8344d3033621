import Bytes

/// The secret value of an option in the line of a command, as in `curl -u user:password` and `mysql --password x`.
struct CommandArgument {
    /// Empty if the option's value is no secret.
    private(set) var value = 0..<0
    private(set) var label: StaticString = "argument"
    /// Where the reading stopped.
    let end: Int

    private static let longestName = 64

    /// Words that follow an option in a text about it.
    private static let prose: [StaticString] = [
        "to", "is", "was", "are", "be", "must", "for", "and", "or", "with", "in", "on", "if", "can", "may", "will",
        "should", "from", "as", "of", "by", "the", "a", "an", "option", "flag", "not", "instead", "when", "argument",
    ]

    /// The option that begins at a dash; nil if there is none.
    init?(_ bytes: Span<UInt8>, at start: Int, to limit: Int, _ names: SecretNames, _ encoding: TextEncoding) {
        var index = start
        while index < limit, bytes[index] == UInt8(ascii: "-") { index &+= 1 }
        let dashes = index &- start
        let begin = index
        while index < limit, index &- begin <= Self.longestName,
            ByteSearch.isAlphanumeric(bytes[index]) || bytes[index].isOne(of: "-_.")
        {
            index &+= 1
        }
        guard dashes <= 2, index > begin, index &- begin <= Self.longestName else { return nil }
        let name = bytes.extracting(begin..<index)
        let isUser =
            dashes == 1
            ? name.count == 1 && name[0] | 0x20 == UInt8(ascii: "u")
            : name.spells("user")
                || name.spells("proxy-user")
        guard isUser || dashes == 2 && names.contains(name, in: .member) else { return nil }
        let blanks = index
        while index < limit, ByteSearch.isBlank(bytes[index]) { index &+= 1 }
        guard index > blanks || index == limit else { return nil }
        while index < limit, bytes[index] == UInt8(ascii: "\\"), encoding == .json { index &+= 1 }
        let quote: UInt8? = index < limit && bytes[index].isOne(of: "\"'`") ? bytes[index] : nil
        if quote != nil { index &+= 1 }
        let first = index
        while index < limit, !Self.isEnd(bytes[index], quote, encoding) { index &+= 1 }
        end = index
        let word = bytes.extracting(first..<index)
        guard word.count > 0, word[0] != UInt8(ascii: "-"), word[0] != UInt8(ascii: "<"), word[0] != UInt8(ascii: "$"),
            !Self.prose.contains(where: { word.spells($0) })
        else { return }
        if !isUser {
            value = first..<index
        } else if Self.isUser(word) {
            (value, label) = (first..<index, "userinfo")
        }
    }

    private static func isEnd(_ byte: UInt8, _ quote: UInt8?, _ encoding: TextEncoding) -> Bool {
        if byte == 0x0A || byte == 0x0D || byte == UInt8(ascii: "\\") && encoding == .json { return true }
        if let quote { return byte == quote || encoding == .json && byte == UInt8(ascii: "\"") }
        return byte <= 0x20 || byte.isOne(of: "\"'`|;&<>")
    }

    /// A name, a colon and a password, and neither two numbers, a path, nor a URL.
    private static func isUser(_ word: Span<UInt8>) -> Bool {
        let colon = ByteSearch.byte(UInt8(ascii: ":"), in: word, from: 0, to: word.count)
        guard colon > 0, colon + 1 < word.count, word[colon + 1] != UInt8(ascii: "/"), word[0] != UInt8(ascii: "/")
        else { return false }
        for index in 0..<word.count where index != colon && word[index] &- 0x30 >= 10 {
            // As of a group, whose name often is the user's.
            return word.count != 2 * colon + 1 || (0..<colon).contains { word[$0] != word[colon + 1 + $0] }
        }
        return false
    }
}
