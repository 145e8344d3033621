/// The parameters of a URL's query or of a form, in their order.
package enum URLParameters {
    /// Names and values as they were sent; a parameter without `=` has an empty value.
    package static func read(
        _ text: [UInt8], separators: StaticString = "&"
    ) -> [(name: [UInt8], value: [UInt8])] {
        let separators = separators.withUTF8Buffer { Array($0) }
        return text.split { separators.contains($0) }.map { parameter in
            let equals = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            return (Array(parameter[..<equals]), Array(parameter[equals...].dropFirst()))
        }
    }

    /// Undoes escapes, and `+` for a space; an escape that is none stays.
    package static func decoded(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var at = 0
        while at < text.count {
            if text[at] == UInt8(ascii: "%"), at + 2 < text.count, let high = hexDigit(text[at + 1]),
                let low = hexDigit(text[at + 2])
            {
                result.append(high << 4 | low)
                at += 3
            } else {
                result.append(text[at] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[at])
                at += 1
            }
        }
        return result
    }
}
