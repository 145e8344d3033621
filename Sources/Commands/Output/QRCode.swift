import CQREncode
import Platform

/// A QR code (ISO/IEC 18004) in half blocks, two modules to a character.
package struct QRCode {
    /// Modules that have to stay light on each side.
    private static let quietZone = 4
    private let width: Int
    private let isDark: [Bool]

    /// Error correction of level M; nil where the text is too long for any code.
    package init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit of each module says whether it is dark; the others tell what it is for.
        isDark = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    /// Lines of blocks.
    /// - Parameter painted: black on white whatever the terminal's own colours are; cameras want dark on light.
    package func text(painted: Bool) -> String {
        var text = ""
        let range = -Self.quietZone..<(width + Self.quietZone)
        for top in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            if painted { text += "\u{1b}[38;5;16;48;5;231m" }
            for column in range {
                switch (isDark(top, column), isDark(top + 1, column)) {
                case (false, false): text += " "
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (true, true): text += "█"
                }
            }
            text += painted ? "\u{1b}[0m\n" : "\n"
        }
        return text
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < width && column >= 0 && column < width && isDark[row * width + column]
    }
}
