import Rewriting
public import Store

extension StoreSettings {
    /// Lets the store keep bodies without their content codings.
    public mutating func decode() {
        decoder = { value in
            value.withUnsafeBufferPointer {
                ContentDecoder.make(contentEncoding: Span(_unsafeElements: $0)).map { StoreDecoder(decoder: $0) }
            }
        }
    }
}

private struct StoreDecoder: BodyDecoding {
    let decoder: ContentDecoder

    func decode(_ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]) -> (taken: Int, given: Int)? {
        room.withUnsafeMutableBytes { room in
            input.withUnsafeBytes { input in
                do throws(BodyRewriteFailure) { return try decoder.step(input, isLast: isLast, into: room) } catch {
                    return nil
                }
            }
        }
    }
}
