import Profiles

/// The script that plays the native side of a hybrid app in its pages, or records the calls to the real one.
enum BridgeScript {
    /// In the order in which they run; all are in one scope.
    private static let parts: [[UInt8]] = [
        PackageResources.start_js, PackageResources.reply_js, PackageResources.events_js, PackageResources.webkit_js,
        PackageResources.android_js, PackageResources.prompt_js, PackageResources.record_js,
    ]

    /// A script element.
    static func html(for contract: BridgeContract) -> [UInt8] {
        var html = Array("<script>(contract => {\n\"use strict\";\n".utf8)
        for part in parts { html += part }
        html += "})(".utf8
        // `</script>` and `<!--` within a text would end the element, or change how it ends.
        for byte in contract.json {
            if byte == UInt8(ascii: "<") { html += "\\u003c".utf8 } else { html.append(byte) }
        }
        return html + ");</script>\n".utf8
    }
}
