import Bytes

extension AddressMap {
    /// Link (RFC 8288 3): the target of each link; parameters stay.
    func rewriteLink(_ value: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        let bytes = copy.bytes
        var index = value.lowerBound
        while index < value.upperBound {
            index = AddressText.skipBlanks(bytes, index..<value.upperBound)
            if index < value.upperBound, bytes[index] == 0x3C {
                let close = AddressText.first(0x3E, bytes, index..<value.upperBound)
                guard close < value.upperBound else { break }
                guard rewriteForClient(.reference, index &+ 1..<close, in: &copy, to: &out) else { return false }
                index = close &+ 1
            }
            index = endOfElement(bytes, index..<value.upperBound)
        }
        return true
    }

    /// Behind the next comma that no quoted string holds (RFC 9110 5.6.4), or the end.
    private func endOfElement(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while true {
            index = TextWords.first(bytes, index..<range.upperBound) {
                ByteSearch.firstEqual($0, 0x2C) | ByteSearch.firstEqual($0, 0x22)
            }
            guard index < range.upperBound else { return index }
            if bytes[index] == 0x2C { return index &+ 1 }
            index = endOfQuotedString(bytes, index &+ 1..<range.upperBound)
        }
    }

    /// Behind the quote that ends it, or the end.
    private func endOfQuotedString(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index &+= 1
            if byte == 0x22 { return index }
            if byte == 0x5C, index < range.upperBound { index &+= 1 }
        }
        return index
    }
}
