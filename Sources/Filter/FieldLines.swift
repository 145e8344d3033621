import Bytes
import Patterns

/// The lines of a head, as filters see them: `Name: value`.
enum FieldLines {
    /// Whether a field line has the pattern; the start line is no field line.
    static func contain(_ pattern: Pattern, in head: UnsafeRawBufferPointer) -> Bool {
        var isStartLine = !SentFields.begin(head)
        var rest = head[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            var line = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !isStartLine, !line.isEmpty, isFound(pattern, in: line) { return true }
            isStartLine = false
        }
        return false
    }

    private static func isFound(_ pattern: Pattern, in line: Slice<UnsafeRawBufferPointer>) -> Bool {
        // The names of pseudo-header fields begin with a colon.
        guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) else {
            return pattern.isFound(in: UnsafeRawBufferPointer(rebasing: line))
        }
        // Space around a value is not part of it (RFC 9110 section 5.5); the pattern has one space.
        var value = line[(colon + 1)...]
        while let byte = value.first, ByteSearch.isBlank(byte) { value.removeFirst() }
        while let byte = value.last, ByteSearch.isBlank(byte) { value.removeLast() }
        // Nearly all lines are so already.
        if value.startIndex == colon + 2, line[colon + 1] == UInt8(ascii: " "), value.endIndex == line.endIndex {
            return pattern.isFound(in: UnsafeRawBufferPointer(rebasing: line))
        }
        var normal = ContiguousArray(line[...colon])
        normal.append(UInt8(ascii: " "))
        normal.append(contentsOf: value)
        return normal.withUnsafeBytes(pattern.isFound(in:))
    }
}
