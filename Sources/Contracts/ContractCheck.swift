import JSON

extension APIContract {
    /// Compares an exchange with the operation that it belongs to.
    ///
    /// - Parameters:
    ///   - origin: the target that the origin got, which counts where the client's has no operation: a route may have
    ///     changed the path.
    ///   - mask: a text that has these bytes stands for a value that is not known, and is never wrong.
    public func check(
        _ exchange: ContractExchange, orAt origin: @autoclosure () -> String? = nil, mask: StaticString? = nil
    ) -> ContractVerdict {
        let asClient = verdict(exchange, mask)
        guard asClient.operation == nil, !asClient.failures.isEmpty, let origin = origin() else { return asClient }
        let asOrigin = verdict(exchange.at(ContractExchange.target(of: origin)), mask)
        return asOrigin.operation == nil ? asClient : asOrigin
    }

    private func verdict(_ exchange: ContractExchange, _ mask: StaticString?) -> ContractVerdict {
        var check = ContractCheck(contract: self, exchange: exchange, mask: mask)
        check.run()
        return check.verdict
    }
}

/// One exchange as it is compared with a contract.
private struct ContractCheck {
    let contract: APIContract
    let exchange: ContractExchange
    let mask: StaticString?
    var verdict = ContractVerdict()

    /// Failures of one value that are told.
    private static let mostPerValue = 5

    private mutating func fail(_ rule: ContractPlace, _ part: String, _ message: String) {
        verdict.failures.append(failure(rule, part, message))
    }

    private func failure(_ rule: ContractPlace, _ part: String, _ message: String) -> ContractFailure {
        ContractFailure(operation: verdict.operation, rule: rule, part: part, message: message)
    }

    mutating func run() {
        guard let (number, values) = contract.tree.find(exchange.path) else {
            return fail(contract.place, "the path \(exchange.path)", " is not documented")
        }
        let item = contract.items[number]
        func operation(_ method: String) -> Int? { item.operations.first { contract.operations[$0].method == method } }
        // RFC 9110: HEAD is GET without the body of its response.
        guard let found = operation(exchange.method) ?? (exchange.method == "HEAD" ? operation("GET") : nil) else {
            if isPreflight { return }
            let known = item.operations.map { contract.operations[$0].method }.joined(separator: ", ")
            return fail(
                item.place, "the method \(exchange.method)", " is not documented for \(item.path), which has \(known)")
        }
        verdict.operation = found
        let operation = contract.operations[found]
        var captured: [String: String] = [:]
        for (name, value) in zip(item.names, values) { captured[name] = value }
        checkRequest(operation, captured)
        if let status = exchange.status { checkResponse(operation, status) }
    }

    /// A browser's question, which servers answer without documenting it.
    private var isPreflight: Bool {
        exchange.method == "OPTIONS" && exchange.request.field("Access-Control-Request-Method") != nil
    }

    // MARK: Requests

    private mutating func checkRequest(_ operation: APIContract.Operation, _ captured: [String: String]) {
        let pairs = exchange.query.isEmpty ? [] : exchange.parameters
        let cookies = operation.parameters.contains { $0.location == .cookie } ? self.cookies : []
        var known = operation.keys
        var takesAny = false
        for parameter in operation.parameters {
            let value: ParameterValue?
            switch parameter.location {
            case .path: value = captured[parameter.name].map { ParameterValue(text: $0, contract, parameter) }
            case .header:
                value = exchange.request.field(parameter.name).map { ParameterValue(text: $0, contract, parameter) }
            case .cookie: value = ParameterValue(pairs: cookies, contract, parameter)
            case .query:
                value = ParameterValue(pairs: pairs, contract, parameter)
                known.formUnion(value?.names ?? [parameter.name])
                if parameter.takesMembers(contract) { takesAny = true }
            }
            let part = "the \(parameter.location.rawValue) parameter \(parameter.name)"
            guard let value else {
                // Recorded fields with secrets have a value that stands for it, so that they are there.
                if parameter.isRequired { fail(parameter.place, part, " is missing") }
                continue
            }
            check(value, parameter, part)
        }
        for (name, _) in pairs where !takesAny && known.insert(name).inserted {
            fail(operation.place, "the query parameter \(name)", " is not documented")
        }
        guard let body = operation.body else {
            if !exchange.request.body.isEmpty { fail(operation.place, "the request body", " is not documented") }
            return
        }
        guard !exchange.request.body.isEmpty else {
            if !exchange.request.isWhole {
                verdict.uncompared.append(failure(body.place, "the request body", ", which was not recorded"))
            } else if body.isRequired {
                fail(body.place, "the request body", " is missing")
            }
            return
        }
        check(exchange.request, body.contents, body.place, "the request body", .request)
    }

    private var cookies: [(name: String, value: String)] {
        exchange.request.fields("Cookie").flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    private mutating func check(_ value: ParameterValue, _ parameter: APIContract.Parameter, _ part: String) {
        guard let schema = parameter.schema, !(parameter.mayBeEmpty && value.isEmpty) else { return }
        guard let tape = value.tape else { return fail(parameter.place, part, " is no JSON") }
        for failure in failures(tape, schema, .request) { fail(failure.rule, part, Self.text(failure)) }
    }

    private func failures(_ tape: JSONTape, _ schema: Int, _ direction: SchemaDirection) -> [SchemaFailure] {
        Schema(contract.graph, node: schema).failures(
            of: tape, most: Self.mostPerValue, direction: direction, mask: mask)
    }

    /// Without the sign for the whole value.
    private static func text(_ failure: SchemaFailure) -> String {
        failure.path == "$" ? failure.message : " \(failure.text)"
    }

    // MARK: Responses

    private mutating func checkResponse(_ operation: APIContract.Operation, _ status: Int) {
        let range = "\(status / 100)XX"
        guard
            let response = operation.responses.first(where: { $0.status == "\(status)" })
                ?? operation.responses.first(where: { $0.status == range })
                ?? operation.responses.first(where: { $0.status == "default" })
        else {
            // The response to a conditional request stands for the one before it.
            if status == 304, operation.method == "GET" { return }
            let known = operation.responses.map(\.status).joined(separator: ", ")
            return fail(operation.place, "the status \(status)", " is not documented, which has \(known)")
        }
        check(response.fields, "the response field") { [exchange] in exchange.response.field($0) }
        guard exchange.method != "HEAD", status != 204, status != 304, !exchange.response.body.isEmpty else { return }
        guard !response.contents.isEmpty else {
            return fail(response.place, "the response body", " is not documented for the status \(status)")
        }
        check(exchange.response, response.contents, response.place, "the response body", .response)
    }

    /// Compares fields with what is documented of them.
    ///
    /// - Parameter text: gives the value of the field of a name; nil where there is none.
    private mutating func check(_ fields: [APIContract.Parameter], _ what: String, _ text: (String) -> String?) {
        for field in fields {
            let part = "\(what) \(field.name)"
            guard let text = text(field.name) else {
                if field.isRequired { fail(field.place, part, " is missing") }
                continue
            }
            check(ParameterValue(text: text, contract, field), field, part)
        }
    }

    private mutating func check(
        _ message: ContractExchange.Message, _ contents: [APIContract.Content], _ place: ContractPlace, _ part: String,
        _ direction: SchemaDirection
    ) {
        let type = message.mediaType ?? ""
        let ranked = contents.map { (content: $0, rank: MediaRange.rank($0.type, type)) }.filter { $0.rank > 0 }
        guard let content = ranked.max(by: { $0.rank < $1.rank })?.content else {
            guard !contents.isEmpty else { return }
            let known = contents.map(\.type).joined(separator: ", ")
            let what = type.isEmpty ? " has no media type, not \(known)" : " has the media type \(type), not \(known)"
            return fail(place, part, what)
        }
        guard let schema = content.schema else { return }
        guard message.isWhole else {
            return verdict.partial.append(failure(content.place, part, " was recorded in part only"))
        }
        let value = BodyValue(message, type, content, schema, contract, mask)
        for problem in value.problems { fail(content.place, part, problem) }
        for one in value.parts {
            check(one.fields, "\(part), in the part \(one.name) the field") { one.head.values(named: $0).first }
        }
        if value.isUnknown { verdict.uncompared.append(failure(content.place, part, " of the type \(type)")) }
        guard let tape = value.tape else { return }
        for failure in failures(tape, schema, direction) { fail(failure.rule, part, " \(failure.text)") }
    }
}
