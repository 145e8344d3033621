import JSON

/// How OpenAPI says that a value stands in XML.
struct XMLRule {
    var name: String?
    var isAttribute = false
    var isWrapped = false
    var namespace: String?
    var prefix: String?
}

/// Namespaces of a document while it is read, and names that are in another one than a schema says.
struct XMLNames {
    /// What prefixes stand for, the innermost last; none is the empty prefix.
    private var scope: [String: [String]] = [:]
    private(set) var problems: [String] = []
    private static let maxProblems = 5

    fileprivate mutating func enter(_ element: MarkupElement) {
        for (prefix, uri) in element.declarations { scope[prefix, default: []].append(uri) }
    }

    fileprivate mutating func leave(_ element: MarkupElement) {
        for (prefix, _) in element.declarations { _ = scope[prefix]?.popLast() }
    }

    /// - Parameter name: with its prefix.
    fileprivate mutating func check(_ name: String, by rule: XMLRule, isAttribute: Bool = false) {
        guard rule.namespace != nil || rule.prefix != nil, problems.count < Self.maxProblems else { return }
        let prefix = name.firstIndex(of: ":").map { String(name[..<$0]) } ?? ""
        let what = "\(isAttribute ? "attribute" : "element") \(name)"
        let problem: String
        if let wanted = rule.namespace {
            // What has no prefix is in the default namespace, but an attribute in none.
            let uri = isAttribute && prefix.isEmpty ? nil : scope[prefix]?.last
            guard uri != wanted else { return }
            let found = uri.flatMap { $0.isEmpty ? nil : "the namespace \($0.prefix(200))" } ?? "no namespace"
            problem = " has the \(what) in \(found), not \(wanted)"
        } else {
            guard let wanted = rule.prefix, wanted != prefix else { return }
            problem = " has the \(what) \(prefix.isEmpty ? "without a prefix" : "with this prefix"), not \(wanted)"
        }
        if !problems.contains(problem) { problems.append(problem) }
    }
}

extension MarkupElement {
    /// Without its prefix.
    var localName: String { Self.local(name) }

    static func local(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    /// The names and values of attributes other than declarations of namespaces, `xml:` and `xsi:` ones.
    fileprivate var ownAttributes: [(name: String, full: String, value: String)] {
        attributes.compactMap { name, value in
            guard name != "xmlns", !["xmlns:", "xml:", "xsi:"].contains(where: { name.hasPrefix($0) }) else {
                return nil
            }
            return (Self.local(name), name, value)
        }
    }

    /// Prefixes that it declares, with their namespaces.
    fileprivate var declarations: [(prefix: String, uri: String)] {
        attributes.compactMap { name, value in
            name == "xmlns" ? ("", value) : name.hasPrefix("xmlns:") ? (String(name.dropFirst(6)), value) : nil
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
                isWrapped: value["wrapped"]?.bool ?? false, namespace: value["namespace"]?.string,
                prefix: value["prefix"]?.string)
        }
        return XMLRule()
    }

    /// Writes an element as the value that its schema describes.
    ///
    /// What no property is for becomes a member of its own name, so that the schema can refuse it.
    func write(_ element: MarkupElement, to writer: inout JSONWriter, _ names: inout XMLNames) {
        names.enter(element)
        defer { names.leave(element) }
        names.check(element.name, by: elementRule)
        if element.isNil { return writer.null() }
        let isBare = element.children.isEmpty && element.ownAttributes.isEmpty
        if kinds.contains(.array), !kinds.contains(.string) {
            return write(items: element.children, to: &writer, &names)
        }
        guard kinds.contains(.object) && !kinds.contains(.string) || !isBare else {
            return write(element.text, to: &writer)
        }
        writer.object { writeMembers(of: element, to: &$0, &names) }
    }

    /// What is said of an element of its own: an array that is not wrapped has none.
    private var elementRule: XMLRule {
        let rule = xml
        return kinds.contains(.array) && !kinds.contains(.string) && !rule.isWrapped ? XMLRule() : rule
    }

    private func write(items: [MarkupElement], to writer: inout JSONWriter, _ names: inout XMLNames) {
        let hints = itemHints
        writer.array { array in for item in items { hints.write(item, to: &array, &names) } }
    }

    private func writeMembers(of element: MarkupElement, to object: inout JSONWriter, _ names: inout XMLNames) {
        var (attributes, elements): (Set<String>, Set<String>) = ([], [])
        for (name, schema) in members {
            let hints = SchemaHints(graph, schema)
            let rule = hints.xml
            let own = rule.name ?? name
            if rule.isAttribute {
                guard let found = element.ownAttributes.first(where: { $0.name == own }) else { continue }
                names.check(found.full, by: rule, isAttribute: true)
                attributes.insert(own)
                object.key(name)
                hints.write(found.value, to: &object)
            } else if hints.kinds.contains(.array), !hints.kinds.contains(.string) {
                // The name of an array counts only where an element is around it.
                let outer = rule.isWrapped ? own : hints.itemHints.xml.name ?? name
                let found = element.children.filter { $0.localName == outer }
                guard !found.isEmpty else { continue }
                elements.insert(outer)
                object.key(name)
                guard rule.isWrapped else {
                    hints.write(items: found, to: &object, &names)
                    continue
                }
                for wrapper in found {
                    names.enter(wrapper)
                    names.check(wrapper.name, by: rule)
                }
                hints.write(items: found.flatMap(\.children), to: &object, &names)
                for wrapper in found { names.leave(wrapper) }
            } else if let found = element.children.first(where: { $0.localName == own }) {
                elements.insert(own)
                object.key(name)
                hints.write(found, to: &object, &names)
            }
        }
        let unknown = SchemaHints(graph, nil)
        for (name, _, value) in element.ownAttributes where !attributes.contains(name) { object.member(name, value) }
        for child in element.children where elements.insert(child.localName).inserted {
            object.key(child.localName)
            unknown.write(child, to: &object, &names)
        }
    }
}
