import Bytes

extension AddressMap {
    /// Refresh, as browsers read it (HTML, shared declarative refresh steps): `5; url=...` with all variants that they
    /// accept.
    func rewriteRefresh(_ value: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard let url = refreshURL(copy.bytes, value) else { return true }
        return rewriteForClient(.reference, url, in: &copy, to: &out)
    }

    private func refreshURL(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Range<Int>? {
        let end = value.upperBound
        var index = AddressText.skipBlanks(bytes, value)
        let time = index
        while index < end, bytes[index] &- 0x30 < 10 || bytes[index] == 0x2E { index &+= 1 }
        guard index > time, index < end else { return nil }
        let afterTime = index
        index = AddressText.skipBlanks(bytes, index..<end)
        if index < end, bytes[index] == 0x3B || bytes[index] == 0x2C {
            index = AddressText.skipBlanks(bytes, index &+ 1..<end)
        } else if index == afterTime {
            return nil
        }
        if AddressText.hasPrefix(bytes, index..<end, "url") {
            let equals = AddressText.skipBlanks(bytes, index &+ 3..<end)
            if equals < end, bytes[equals] == 0x3D { index = AddressText.skipBlanks(bytes, equals &+ 1..<end) }
        }
        guard index < end else { return nil }
        var last = end
        if bytes[index] == 0x22 || bytes[index] == 0x27 {
            last = AddressText.first(bytes[index], bytes, index &+ 1..<end)
            index = AddressText.skipBlanks(bytes, index &+ 1..<last)
        }
        while last > index, ByteSearch.isBlank(bytes[last &- 1]) { last &-= 1 }
        return index..<last
    }
}
