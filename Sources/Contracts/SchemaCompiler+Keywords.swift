import Bytes
import JSON
import Patterns

extension SchemaCompiler {
    /// Steps that a pattern may take.
    private static let patternLimit = 20_000
    private static let booleans: Set<String> = [
        "uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable",
    ]

    /// A schema with what its keywords say.
    func compiled(_ empty: SchemaNode) -> SchemaNode {
        var node = empty
        let source = node.source
        if let flag = source.value.bool {
            node.verdict = flag
            return node
        }
        guard let members = source.value.object else {
            report(
                source, nil, "\(source.value.kindName) where a schema should be", expected: "an object, true or false")
            return node
        }
        if dialect == .openAPI30, let reference = source.value["$ref"] {
            node.reference = self.reference(reference, node)
            return node
        }
        var reading = Reading(self, node)
        for member in members { reading.read(member) }
        return reading.finished()
    }

    fileprivate func reference(_ value: JSONValue, _ node: SchemaNode) -> Int? {
        guard let text = value.string else {
            report(node.source, value.position, "\"$ref\" is \(value.kindName)", expected: "a URI reference")
            return nil
        }
        return target(text, of: node, value.position)
    }

    /// One schema as it is read.
    private struct Reading {
        let compiler: SchemaCompiler
        var node: SchemaNode
        let isAsserting: Bool
        var number = NumberRules()
        var string = StringRules()
        var array = ArrayRules()
        var object = ObjectRules()
        var combination = Combination()
        /// By their bytes: `String` takes two spellings of one accented letter for the same name.
        private var places: [[UInt8]: Int] = [:]
        private var (hasNumber, hasString, hasArray, hasObject, hasCombination) = (false, false, false, false, false)

        init(_ compiler: SchemaCompiler, _ node: SchemaNode) {
            (self.compiler, self.node) = (compiler, node)
            isAsserting = compiler.isAsserting(node.resource)
        }

        func wrong(_ member: JSONMember, expected: String) {
            compiler.report(
                node.source, member.value.position, "\"\(member.key)\" is \(member.value.kindName)", expected: expected)
        }

        mutating func read(_ member: JSONMember) {
            guard let holding = SchemaKeyword.holds[member.key],
                compiler.dialect != .draft2020 || !SchemaKeyword.ofOpenAPI.contains(member.key)
            else {
                if compiler.refusesUnknown, !member.key.hasPrefix("x-") {
                    let known = SchemaKeyword.holds.keys.filter { !SchemaKeyword.ofOpenAPI.contains($0) }.sorted()
                    let nearest = known.min {
                        editDistance(Array($0.utf8), Array(member.key.utf8))
                            < editDistance(Array($1.utf8), Array(member.key.utf8))
                    }
                    compiler.report(
                        node.source, member.keyPosition, "\"\(member.key)\" is no keyword of JSON Schema",
                        expected: "one such as \"\(nearest ?? "type")\", or a name that begins with x-")
                }
                return
            }
            switch holding {
            case .schema: readSchema(member)
            case .schemas: readSchemas(member)
            case .nothing where isAsserting || member.key.hasPrefix("$") || member.key == "format": readOther(member)
            case .nothing: break
            }
        }

        private func number(_ step: String, _ value: JSONValue) -> Int {
            compiler.number(
                of: ContractSources.Located(
                    document: node.source.document, value: value, pointer: node.source.pointer + step),
                in: node.resource)
        }

        private func schema(_ member: JSONMember) -> Int {
            number(ContractPlace.step(member.key), member.value)
        }

        private func list(_ member: JSONMember) -> [Int] {
            guard let items = member.value.array, !items.isEmpty else {
                wrong(member, expected: "a list of schemas")
                return []
            }
            return items.enumerated().map { number("/\(member.key)/\($0.offset)", $0.element) }
        }

        private mutating func readSchema(_ member: JSONMember) {
            switch member.key {
            case "allOf": combination.all = list(member)
            case "anyOf": combination.any = list(member)
            case "oneOf": combination.one = list(member)
            case "prefixItems": array.prefix = list(member)
            case "not": combination.not = schema(member)
            case "if": combination.condition = schema(member)
            case "then": combination.then = schema(member)
            case "else": combination.otherwise = schema(member)
            case "items": array.items = schema(member)
            case "contains": array.contains = schema(member)
            case "additionalProperties": object.additional = schema(member)
            case "propertyNames": object.names = schema(member)
            case "unevaluatedItems": node.unevaluatedItems = schema(member)
            case "unevaluatedProperties": node.unevaluatedProperties = schema(member)
            default: _ = schema(member)
            }
            switch member.key {
            case "prefixItems", "items", "contains": hasArray = true
            case "additionalProperties", "propertyNames": hasObject = true
            default: hasCombination = true
            }
        }

        private mutating func readSchemas(_ member: JSONMember) {
            guard let members = member.value.object else { return wrong(member, expected: "an object of schemas") }
            for one in members {
                let schema = number(ContractPlace.step(member.key) + ContractPlace.step(one.key), one.value)
                switch member.key {
                case "properties":
                    hasObject = true
                    object.members[place(of: one.key)].schema = schema
                    object.members[place(of: one.key)].exempt = exemption(one.value)
                case "patternProperties":
                    hasObject = true
                    if let pattern = pattern(one.key, one.keyPosition) { object.patterns.append((pattern, schema)) }
                case "dependentSchemas":
                    hasCombination = true
                    combination.dependent.append((one.key, schema))
                default: break
                }
            }
        }

        /// What is said of a member is at this place in the list.
        private mutating func place(of name: String) -> Int {
            if let known = places[Array(name.utf8)] { return known }
            places[Array(name.utf8)] = object.members.count
            object.members.append(ObjectRules.Member(name: name))
            return object.members.count - 1
        }

        private func exemption(_ schema: JSONValue) -> SchemaDirection? {
            guard compiler.dialect != .draft2020 else { return nil }
            if schema["readOnly"]?.bool == true { return .request }
            return schema["writeOnly"]?.bool == true ? .response : nil
        }

        private func pattern(_ text: String, _ position: JSONPosition) -> Pattern? {
            do throws(PatternFailure) {
                return try Pattern(ecmaScript: text, limit: SchemaCompiler.patternLimit)
            } catch {
                compiler.report(
                    node.source, position,
                    "the pattern \"\(text)\" cannot be used, in column \(error.index + 1): \(error.message)",
                    expected: error.expected)
                return nil
            }
        }

        private func count(_ member: JSONMember) -> Int? {
            guard let number = member.value.number?.int64, number >= 0 else {
                wrong(member, expected: "a count")
                return nil
            }
            return Int(clamping: number)
        }

        private func limit(_ member: JSONMember) -> NumberRules.Limit? {
            guard let number = member.value.number else {
                wrong(member, expected: "a number")
                return nil
            }
            return NumberRules.Limit(number)
        }

        private mutating func readOther(_ member: JSONMember) {
            let value = member.value
            if SchemaCompiler.booleans.contains(member.key), value.bool == nil {
                return wrong(member, expected: "true or false")
            }
            switch member.key {
            case "$ref": node.reference = compiler.reference(value, node)
            case "$dynamicRef":
                guard let text = value.string, let target = compiler.reference(value, node) else { break }
                let name = URIReference(text).fragment ?? ""
                if compiler.isDynamicAnchor(name, target) {
                    node.dynamicReference = (target, name)
                } else {
                    // It leads where `$ref` would.
                    hasCombination = true
                    combination.all.append(target)
                }
            case "type": readType(member)
            case "enum":
                guard let values = value.array else { return wrong(member, expected: "a list of values") }
                allow(values, member)
            case "const": allow([value], member)
            case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf": readNumber(member)
            case "minLength": (string.minLength, hasString) = (count(member), true)
            case "maxLength": (string.maxLength, hasString) = (count(member), true)
            case "pattern":
                guard let text = value.string else { return wrong(member, expected: "a regular expression") }
                string.pattern = pattern(text, value.position).map { (text, $0) }
                hasString = true
            case "format":
                guard let name = value.string else { return wrong(member, expected: "the name of a format") }
                guard compiler.assertsFormats, let format = SchemaFormat(rawValue: name) else { break }
                string.format = format
                hasString = true
            case "minItems": (array.minItems, hasArray) = (count(member), true)
            case "maxItems": (array.maxItems, hasArray) = (count(member), true)
            case "uniqueItems": (array.isUnique, hasArray) = (value.bool ?? false, true)
            case "minContains": array.minContains = count(member) ?? 1
            case "maxContains": array.maxContains = count(member)
            case "minProperties": (object.minProperties, hasObject) = (count(member), true)
            case "maxProperties": (object.maxProperties, hasObject) = (count(member), true)
            case "required":
                guard let names = names(value) else { return wrong(member, expected: "a list of names") }
                hasObject = true
                for name in names { object.members[place(of: name)].isRequired = true }
            case "dependentRequired":
                guard let members = value.object, members.allSatisfy({ names($0.value) != nil }) else {
                    return wrong(member, expected: "an object of lists of names")
                }
                hasObject = true
                object.dependentRequired = members.map { ($0.key, names($0.value) ?? []) }
            default: break
            }
        }

        private func names(_ value: JSONValue) -> [String]? {
            guard let items = value.array else { return nil }
            let names = items.compactMap(\.string)
            return names.count == items.count ? names : nil
        }

        private mutating func readType(_ member: JSONMember) {
            let names = member.value.array?.map(\.string) ?? [member.value.string]
            var kinds: SchemaNode.Kinds = []
            for name in names {
                guard let kind = SchemaNode.Kinds.names.first(where: { $0.name == name }) else {
                    let all = SchemaNode.Kinds.names.map(\.name).joined(separator: ", ")
                    compiler.report(node.source, member.value.position, "a wrong \"type\"", expected: "one of \(all)")
                    return
                }
                kinds.insert(kind.kinds)
            }
            if compiler.dialect == .openAPI30 {
                if member.value.array != nil || kinds == .null {
                    compiler.report(
                        node.source, member.value.position, "a wrong \"type\" for OpenAPI 3.0",
                        expected: "one kind but null, and \"nullable\": true for null as well")
                }
                if node.source.value["nullable"]?.bool == true { kinds.insert(.null) }
            }
            node.kinds = kinds
        }

        private mutating func readNumber(_ member: JSONMember) {
            if compiler.dialect == .openAPI30, member.key.hasPrefix("exclusive") {
                guard member.value.bool != nil else { return wrong(member, expected: "true or false in OpenAPI 3.0") }
                return
            }
            guard let limit = limit(member) else { return }
            hasNumber = true
            let isExclusive =
                compiler.dialect == .openAPI30
                && node.source.value[member.key == "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"]?.bool == true
            switch member.key {
            case "minimum" where isExclusive: number.exclusiveMinimum = limit
            case "maximum" where isExclusive: number.exclusiveMaximum = limit
            case "minimum": number.minimum = limit
            case "maximum": number.maximum = limit
            case "exclusiveMinimum": number.exclusiveMinimum = limit
            case "exclusiveMaximum": number.exclusiveMaximum = limit
            default:
                guard limit.double > 0 else { return wrong(member, expected: "a number above 0") }
                number.unit = limit.number
            }
        }

        private mutating func allow(_ values: [JSONValue], _ member: JSONMember) {
            do throws(JSONFailure) {
                let allowed = try SchemaValues(values, isConstant: member.key == "const")
                guard node.values != nil else { return node.values = compiler.rules.add(allowed) }
                // Both `enum` and `const`: one of them goes into a schema of its own.
                hasCombination = true
                let inner = JSONValue(
                    kind: .object([member]),
                    position: JSONPosition(
                        offset: member.keyPosition.offset, line: member.value.position.line,
                        column: member.value.position.column))
                combination.all.append(number("", inner))
            } catch {
                wrong(member, expected: "a value that nests less")
            }
        }

        mutating func finished() -> SchemaNode {
            if hasNumber { (node.number, node.integers) = (compiler.rules.add(number), number.integers) }
            if hasString { node.string = compiler.rules.add(string) }
            if hasArray { node.array = compiler.rules.add(array) }
            if hasObject {
                object.numbers = NameTable(object.members.map(\.name))
                object.requiredCount = object.members.count { $0.isRequired }
                node.object = compiler.rules.add(object)
            }
            if hasCombination { node.combination = compiler.rules.add(combination) }
            return node
        }
    }
}
