import Engine

/// The description of this interface (OpenAPI 3.1).
enum OpenAPI {
    static let answer = HandledAnswer.json(200, PackageResources.openapi_json)
}
