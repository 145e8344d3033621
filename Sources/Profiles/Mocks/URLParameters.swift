/// The parameters of a URL's query or of a form, in their order.
package enum URLParameters {
    /// Names and values as they were sent; a parameter without `=` has an empty value.
    package static func read(_ text: [UInt8]) -> [(name: [UInt8], value: [UInt8])] {
        var parameters: [(name: [UInt8], value: [UInt8])] = []
        each(of: text) { parameters.append((Array($0), Array($1))) }
        return parameters
    }

    /// Calls `body` with the name and the value of each parameter, as they were sent.
    /// - Parameter limit: the parameters that are read; false is returned where there are more.
    @discardableResult
    package static func each(
        of text: [UInt8], isSeparator: (UInt8) -> Bool = { $0 == UInt8(ascii: "&") }, limit: Int = .max,
        _ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void
    ) -> Bool {
        var (at, count) = (0, 0)
        while at < text.count {
            let end = text[at...].firstIndex(where: isSeparator) ?? text.count
            if end > at {
                count += 1
                if count > limit { return false }
                let equals = text[at..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
                body(text[at..<equals], text[equals..<end].dropFirst())
            }
            at = end + 1
        }
        return true
    }
}
