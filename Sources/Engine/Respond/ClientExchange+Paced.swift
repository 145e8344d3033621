import Exchanges
import HTTP

/// A piece of a body with the time to wait before it, in nanoseconds.
struct PacedPiece {
    let wait: UInt64
    let bytes: ArraySlice<UInt8>
}

extension ClientExchange {
    /// Sends a local response whose body comes in pieces, each in its time.
    func respond(_ response: LocalResponse, extra: [UInt8], pieces: [PacedPiece]) async {
        switch writeLocalHead(response.status, response.fields, extra, length: UInt64(response.body.count)) {
        case .doesNotFit: return
        case .withoutBody: break
        case .withBody:
            if let recording { response.body.withUnsafeBytes { recording.add(.response, $0) } }
            for piece in pieces {
                guard await client.flush() else { return }
                if piece.wait > 0 {
                    do throws(EngineFailure) { try await wait(piece.wait) } catch {
                        client.mustClose = true
                        return
                    }
                }
                metrics.bytes.response &+= UInt64(piece.bytes.count)
                guard await client.deliver(Array(piece.bytes)) else { return }
            }
        }
        await endLocalResponse()
    }
}
