import JSON

/// How OpenAPI says that a value stands in XML.
struct XMLRule {
    var name: String?
    var isAttribute = false
    var isWrapped = false
}

extension MarkupElement {
    /// Without its prefix.
    var localName: String { Self.local(name) }

    static func local(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    /// Names and values of attributes, without those of namespaces and with the prefixes `xml` and `xsi`.
    fileprivate var ownAttributes: [(name: String, value: String)] {
        attributes.compactMap { name, value in
            guard name != "xmlns", !["xmlns:", "xml:", "xsi:"].contains(where: { name.hasPrefix($0) }) else {
                return nil
            }
            return (Self.local(name), value)
        }
    }

    fileprivate var isNil: Bool { self["xsi:nil"] == "true" }
}

extension SchemaHints {
    /// What the schema says of its XML, by itself or where a reference leads.
    var xml: XMLRule {
        for value in ownXML {
            return XMLRule(
                name: value["name"]?.string, isAttribute: value["attribute"]?.bool ?? false,
                isWrapped: value["wrapped"]?.bool ?? false)
        }
        return XMLRule()
    }

    /// Writes an element as the value that its schema describes.
    ///
    /// What no property is for becomes a member of its own name, so that the schema can refuse it.
    func write(_ element: MarkupElement, to writer: inout JSONWriter) {
        if element.isNil { return writer.null() }
        let isBare = element.children.isEmpty && element.ownAttributes.isEmpty
        if kinds.contains(.array), !kinds.contains(.string) {
            return write(items: element.children, to: &writer)
        }
        guard kinds.contains(.object) && !kinds.contains(.string) || !isBare else {
            return write(element.text, to: &writer)
        }
        writer.object { writeMembers(of: element, to: &$0) }
    }

    private func write(items: [MarkupElement], to writer: inout JSONWriter) {
        let hints = itemHints
        writer.array { array in for item in items { hints.write(item, to: &array) } }
    }

    private func writeMembers(of element: MarkupElement, to object: inout JSONWriter) {
        var (attributes, elements): (Set<String>, Set<String>) = ([], [])
        for (name, schema) in members {
            let hints = SchemaHints(graph, schema)
            let rule = hints.xml
            let own = rule.name ?? name
            if rule.isAttribute {
                guard let value = element.ownAttributes.first(where: { $0.name == own })?.value else { continue }
                attributes.insert(own)
                object.key(name)
                hints.write(value, to: &object)
            } else if hints.kinds.contains(.array), !hints.kinds.contains(.string) {
                // The name of an array counts only where an element is around it.
                let outer = rule.isWrapped ? own : hints.itemHints.xml.name ?? name
                let found = element.children.filter { $0.localName == outer }
                guard !found.isEmpty else { continue }
                elements.insert(outer)
                object.key(name)
                hints.write(items: rule.isWrapped ? found.flatMap(\.children) : found, to: &object)
            } else if let found = element.children.first(where: { $0.localName == own }) {
                elements.insert(own)
                object.key(name)
                hints.write(found, to: &object)
            }
        }
        let unknown = SchemaHints(graph, nil)
        for (name, value) in element.ownAttributes where !attributes.contains(name) { object.member(name, value) }
        for child in element.children where elements.insert(child.localName).inserted {
            object.key(child.localName)
            unknown.write(child, to: &object)
        }
    }
}
