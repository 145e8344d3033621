import Inspection

/// The settings of `shunt mocks check`.
struct MocksCheckSettings {
    /// Empty for all mocks.
    let names: [String]
    let profile: String?
    let against: String?
    /// Paths by the name of the mock that they are for.
    let paths: [String: String]
    let fields: [HeadText.Field]
    let ignored: [IgnoredPlace]
    let isJSON: Bool

    init(_ names: [String], _ arguments: Arguments) throws {
        for option in ["device", "keep"] where arguments.has(option) {
            throw UsageError("`shunt mocks check` takes no --\(option)")
        }
        self.names = names
        profile = arguments.text("profile")
        against = arguments.text("against")
        var paths: [String: String] = [:]
        for text in arguments.texts("path") {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[1].first == "/",
                parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
            else {
                throw UsageError(
                    "--path “\(text)” names no path of a mock",
                    advice: "Write NAME=/v1/items/7, with escapes as in URLs.")
            }
            paths[String(parts[0])] = String(parts[1])
        }
        self.paths = paths
        fields = try DiffSettings.fields(arguments.texts("header"))
        ignored = try DiffSettings.ignored(arguments.texts("ignore"))
        isJSON = arguments.has("json")
    }
}
