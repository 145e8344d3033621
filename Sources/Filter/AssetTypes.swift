/// Media types of the assets of pages: style sheets, scripts, images and fonts.
enum AssetTypes {
    static let names = [
        "text/css", "text/javascript", "application/javascript", "application/x-javascript",
        "application/vnd.ms-fontobject",
    ]
    static let prefixes = ["image/", "font/", "application/font-", "application/x-font-"]

    static func contain(_ type: String) -> Bool {
        names.contains(type) || prefixes.contains { type.hasPrefix($0) }
    }
}
