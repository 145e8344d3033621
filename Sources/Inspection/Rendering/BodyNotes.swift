import Exchanges
package import Store

extension TrafficRecord {
    /// What of a body is not as it was on the wire, in words.
    package func notes(_ side: BodySide) -> [String] {
        let body = body(side)
        let count = side == .request ? summary.exchange.bytes.request : summary.exchange.bytes.response
        var notes: [String] = []
        if body.isDecoded { notes.append("content coding undone") }
        if body.isUndecodable {
            notes.append(
                body.kept == 0
                    ? "its body coding cannot be undone, so nothing is kept: there may be secrets in it"
                    : "its body coding could not be undone, or not to the end")
        }
        if body.isCut {
            let kept = LogQuantity.size(UInt64(clamping: body.kept))
            notes.append("cut: \(kept) are kept, \(LogQuantity.size(count)) went over the wire")
        }
        if body.isDropped { notes.append("some of it was dropped, for the disk was slow") }
        return notes
    }
}
