import JSON
import Platform

/// Larger files are refused: all of it is in every page.
private let sizeLimit = 1 << 20
private let forms = "a file that ends in .js, .css or .html, or HTML that begins with `<`"

/// What a route has under `inject`; nil for nothing, and after a report.
func decodeInjection(_ route: Fields) -> InjectionSettings? {
    guard let fields = route.fields("inject", InjectionSettings.keys) else { return nil }
    let (head, body) = (pieces("head", fields), pieces("body", fields))
    return head.isEmpty && body.isEmpty ? nil : InjectionSettings(head: head, body: body)
}

private func pieces(_ key: String, _ fields: Fields) -> [InjectionSettings.Piece] {
    guard let value = fields[key] else { return [] }
    return (value.array ?? [value]).compactMap { item in
        guard let text = item.string, !text.isEmpty else {
            return fields.refuse(item, "\"\(key)\" is \(item.kindName)", expected: "\(forms), or an array")
        }
        if text.hasPrefix("<") {
            let label = text.utf8.count > 40 ? "\(text.prefix(40))…" : text
            return InjectionSettings.Piece(file: nil, label: label, html: Array(text.utf8))
        }
        return file(text, item.position, fields.reporter)
    }
}

/// A file as an element, or as it is.
private func file(_ path: String, _ place: JSONPosition, _ reporter: Reporter) -> InjectionSettings.Piece? {
    let element: String?
    switch path.split(separator: ".").last.map({ $0.lowercased() }) {
    case "js"?: element = "script"
    case "css"?: element = "style"
    case "html"?, "htm"?: element = nil
    default:
        return reporter.refuse(place, "\"\(path)\" cannot be put into a page", expected: forms)
    }
    let absolute = reporter.absolute(path)
    guard let bytes = reporter.bytes(of: path, at: place, limit: sizeLimit + 1, expected: forms) else { return nil }
    guard bytes.count <= sizeLimit else {
        return reporter.refuse(
            place, "\"\(path)\" is longer than 1 MB", expected: "a small file",
            hint: "a short script can load the rest from a route of its own")
    }
    guard let element else { return InjectionSettings.Piece(file: absolute, label: path, html: bytes) }
    if String(decoding: bytes, as: UTF8.self).lowercased().contains("</\(element)") {
        return reporter.refuse(
            place, "\"\(path)\" contains `</\(element)`, which would end its element",
            expected: "the same written otherwise", hint: element == "script" ? "in a string, write `<\\/script`" : nil)
    }
    return InjectionSettings.Piece(
        file: absolute, label: path, html: Array("<\(element)>".utf8) + bytes + Array("</\(element)>".utf8))
}
