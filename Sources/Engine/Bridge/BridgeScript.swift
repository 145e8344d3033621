import CWeb
import Profiles

/// The script that plays the native side of a hybrid app in its pages, or records the calls to the real one.
enum BridgeScript {
    /// A script element.
    static func html(for contract: BridgeContract) -> [UInt8] {
        var html = Array("<script>(contract => {\n\"use strict\";\n".utf8)
        let script = shunt_bridge_script()
        html += UnsafeBufferPointer(start: script.bytes, count: script.count)
        html += "})(".utf8
        // `</script>` and `<!--` within a text would end the element, or change how it ends.
        for byte in contract.json {
            if byte == UInt8(ascii: "<") { html += "\\u003c".utf8 } else { html.append(byte) }
        }
        return html + ");</script>\n".utf8
    }
}
