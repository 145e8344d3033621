/// Lays JSON and JSON5 out in one way, and keeps comments and every value's spelling.
///
/// Two spaces per level; one member per line, unless an array or object stands on one line already and that is not
/// longer than ``width``; comments stay on their lines; one empty line at most between two others; lines end with LF.
/// A text that is RFC 8259's JSON stays that, any other gets a comma behind each last member that ends a line. Formatted
/// text comes out as it is.
public enum JSONFormatter {
    /// How long a line may get by an array or object that stands on it, in Unicode scalars.
    public static let width = 120

    /// The formatted text, with the same value.
    ///
    /// Throws what ``JSONReader`` finds wrong with the text, and when the formatted text would be too large to be read.
    public static func format(_ bytes: [UInt8], sizeLimit: Int = 16 << 20) throws(JSONFailure) -> [UInt8] {
        _ = try JSONReader.read(bytes, sizeLimit: sizeLimit)
        var outline = Outline(bytes)
        var printer = Printer(bytes, hasTrailingCommas: !isStrict(bytes, sizeLimit), sizeLimit: sizeLimit)
        printer.document(try outline.document())
        // Depth times lines may be much more than came in.
        guard printer.output.count <= sizeLimit else {
            throw JSONFailure(
                position: JSONPosition(offset: 0, line: 1, column: 1),
                message: "the formatted text has too many bytes", expected: "at most \(sizeLimit)")
        }
        return printer.output
    }

    /// Formats the UTF-8 of a string.
    public static func format(_ text: String) throws(JSONFailure) -> String {
        String(decoding: try format(Array(text.utf8)), as: UTF8.self)
    }

    private static func isStrict(_ bytes: [UInt8], _ sizeLimit: Int) -> Bool {
        do throws(JSONFailure) {
            _ = try JSONReader.read(bytes, dialect: .strict, sizeLimit: sizeLimit)
            return true
        } catch {
            return false
        }
    }
}
