import Patterns

extension FilterNode {
    /// The condition of a row to match, or not to match.
    ///
    /// Negation goes down to the terms, because only exact conditions can be negated.
    func sql(_ hasNodes: Bool, isNegated: Bool = false) -> FilterSQL {
        switch self {
        case .not(let node): node.sql(hasNodes, isNegated: !isNegated)
        case .and(let nodes) where isNegated: .or(nodes.map { $0.sql(hasNodes, isNegated: true) })
        case .and(let nodes): .and(nodes.map { $0.sql(hasNodes) })
        case .or(let nodes) where isNegated: .and(nodes.map { $0.sql(hasNodes, isNegated: true) })
        case .or(let nodes): .or(nodes.map { $0.sql(hasNodes) })
        case .term(let term) where isNegated: term.negatedSQL(hasNodes)
        case .term(let term): term.sql(hasNodes, usesIndex: true)
        }
    }
}

extension FilterTerm {
    fileprivate func sql(_ hasNodes: Bool, usesIndex: Bool) -> FilterSQL {
        switch self {
        case .all: .all
        case .text(.node, _) where !hasNodes: .none
        case .text(let text, let pattern): text.sql(pattern, usesIndex: usesIndex)
        case .status(let range) where range.count == 1:
            FilterSQL("status = ?", [.integer(Int64(range.lowerBound))])
        case .status(let range):
            FilterSQL(
                "(status BETWEEN ? AND ?)", [.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))])
        case .identifiers(let ranges):
            FilterSQL(
                "(" + ranges.map { _ in "id BETWEEN ? AND ?" }.joined(separator: " OR ") + ")",
                ranges.flatMap { [.integer($0.lowerBound), .integer($0.upperBound)] })
        case .slow(let duration): FilterSQL("total_us >= ?", [.integer(duration)])
        case .since(let time): FilterSQL("started_us >= ?", [.integer(time)])
        case .error: FilterSQL("error IS NOT NULL")
        case .withResponse: FilterSQL("status IS NOT NULL")
        case .withoutResponse: FilterSQL("status IS NULL")
        case .asset: Self.assets
        case .mock: FilterSQL("responder = ?", [.text("mock")])
        case .bridge: FilterSQL("responder = ?", [.text("bridge")])
        case .webSocket: FilterSQL("status = ?", [.integer(Int64(Self.switchingProtocols))])
        case .reason:
            FilterSQL("status >= ?", [.integer(Int64(FilterPush.firstRefusal))], isExact: false)
        case .contract: FilterSQL("facts IS NOT NULL", isExact: false)
        case .callStatus(let range):
            FilterSQL(
                "(grpc_status BETWEEN ? AND ?)",
                [.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))])
        case .call: FilterCall.condition
        case .operation(let pattern): Self.operation(pattern)
        case .graphQLError: FilterSQL("graphql_errors > 0")
        case .changed, .field, .body: .unknown
        }
    }

    /// Each of several operations is compared by itself, of which a column with all of them knows little.
    private static func operation(_ pattern: Pattern) -> FilterSQL {
        let column = FilterColumn("operation")
        let shapes = pattern.shapes.map { shapes in
            FilterSQL.or(shapes.map { column.sql(.needs($0.bytes)) })
        }
        return .and([FilterSQL(FilterOperation.isOfGraphQL), shapes ?? .unknown, .unknown])
    }

    fileprivate func negatedSQL(_ hasNodes: Bool) -> FilterSQL {
        // Most rows do not match as a rule, and an index does not help to find most rows.
        let sql = sql(hasNodes, usesIndex: false)
        return sql.isExact ? sql.inverted : .unknown
    }

    private static var assets: FilterSQL {
        let column = FilterColumn("response_type", isSmall: true)
        return .or(
            AssetTypes.names.map { column.sql(.equals(Array($0.utf8))) }
                + AssetTypes.prefixes.map { column.sql(.prefix(Array($0.utf8))) })
    }
}

extension FilterText {
    private var columns: [FilterColumn] {
        switch self {
        case .method: [FilterColumn("method")]
        case .url: [FilterColumn("url")]
        case .host: [FilterColumn("host", isSmall: true)]
        case .client:
            [
                FilterColumn("client"),
                FilterColumn(
                    "(CASE WHEN instr(client, ':') > 0 THEN '[' || client || ']' ELSE client END || ':' || client_port)"
                ),
            ]
        case .destination: [FilterColumn("origin"), FilterColumn("origin_address")]
        case .requestType: [FilterColumn("request_type", isSmall: true)]
        case .responseType: [FilterColumn("response_type", isSmall: true)]
        case .anyType: [FilterColumn("request_type", isSmall: true), FilterColumn("response_type", isSmall: true)]
        case .profile: [FilterColumn("profile")]
        case .route: [FilterColumn("route")]
        case .trust: [FilterColumn("trust")]
        case .node: [FilterColumn("recorder.node")]
        case .app: [FilterColumn("app")]
        case .session: [FilterColumn("session")]
        }
    }

    fileprivate func sql(_ pattern: Pattern, usesIndex: Bool) -> FilterSQL {
        guard let shapes = pattern.shapes else { return .unknown }
        var found = FilterSQL.or(
            columns.flatMap { column in
                shapes.map { shape in
                    if case .host = self, usesIndex { column.sqlByIndex(shape) } else { column.sql(shape) }
                }
            })
        if case .node = self, found != .all, found != .unknown {
            // An array, so that an index can serve.
            found.condition =
                "exchange.recorder = ANY (ARRAY(SELECT recorder.number FROM recorder WHERE \(found.condition)))"
        }
        return found
    }
}
