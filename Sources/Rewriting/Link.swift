import Bytes

extension AddressMap {
    /// Link (RFC 8288 3): the target of each link; parameters stay.
    func appendLink(
        _ value: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> FieldOutcome {
        var copy = ValueCopy(value)
        var index = value.lowerBound
        while index < value.upperBound {
            index = AddressText.skipBlanks(bytes, index..<value.upperBound)
            if index < value.upperBound, bytes[index] == 0x3C {
                let close = AddressText.first(0x3E, bytes, index..<value.upperBound)
                guard close < value.upperBound else { break }
                guard
                    copy.append(
                        .reference, index &+ 1..<close, of: bytes, map: self, authority: authority, client: client,
                        to: &out)
                else { return .noRoom }
                index = close &+ 1
            }
            index = endOfElement(bytes, index..<value.upperBound)
        }
        return copy.rest(of: bytes, to: &out)
    }

    /// Behind the next comma that no quoted string holds (RFC 9110 5.6.4), or the end.
    private func endOfElement(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var isQuoted = false
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index &+= 1
            if byte == 0x22 {
                isQuoted.toggle()
            } else if byte == 0x5C, isQuoted, index < range.upperBound {
                index &+= 1
            } else if byte == 0x2C, !isQuoted {
                return index
            }
        }
        return index
    }
}
