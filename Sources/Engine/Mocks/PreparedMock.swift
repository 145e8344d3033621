import HTTP
import Profiles

/// A response of a mock, made ready to be sent.
final class PreparedMock: Sendable {
    /// Without its body, where that is made for each request.
    let head: LocalResponse
    let delay: MockDelay?
    /// nil where the body is known.
    private let file: MockFileBody?

    /// - Parameter names: fields that a step writes.
    init(_ response: MockResponse, dropping names: FieldNameSet) {
        delay = response.delay
        switch response.body {
        case .bytes(let bytes): (head, file) = (LocalResponse(response, body: bytes, dropping: names), nil)
        case .file(let file):
            (head, self.file) = (LocalResponse(response, body: [], dropping: names), MockFileBody(file))
        }
    }

    func response() throws(EngineFailure) -> LocalResponse {
        guard let file else { return head }
        return LocalResponse(head, body: try file.bytes())
    }
}
