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
}
