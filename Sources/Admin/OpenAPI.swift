import CWeb
import Engine

/// The description of this interface (OpenAPI 3.1).
enum OpenAPI {
    static let response: HandledResponse = {
        let file = shunt_openapi()
        return .json(200, Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }()
}
