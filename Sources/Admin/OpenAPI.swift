import Engine

/// The description of this interface (OpenAPI 3.1).
enum OpenAPI {
    static let response = HandledResponse.json(200, PackageResources.openapi_json)
}
