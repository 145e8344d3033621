/// How clients ask for the types themselves (section 4, "introspection").
extension GraphQLSchema {
    /// The fields of the type for queries that lead to them.
    static let introspection: [String: Field] = [
        "__schema": Field(
            name: "__schema", type: .nonNull(.named("__Schema")), arguments: [], deprecation: nil, place: nil),
        "__type": Field(
            name: "__type", type: .named("__Type"),
            arguments: [
                Input(name: "name", type: .nonNull(.named("String")), hasDefault: false, deprecation: nil, place: nil)
            ], deprecation: nil, place: nil),
    ]

    /// The argument without which what is deprecated is left out.
    static let includeDeprecated = "includeDeprecated"

    /// The types of types, of October 2021 with what later editions have added, and with what earlier ones had; the
    /// result of an introspection has a server's own in their place.
    static let introspectionText = """
        type __Schema {
          description: String types: [__Type!]! queryType: __Type! mutationType: __Type subscriptionType: __Type
          directives: [__Directive!]!
        }
        type __Type {
          kind: __TypeKind! name: String description: String specifiedByURL: String
          fields(includeDeprecated: Boolean = false): [__Field!] interfaces: [__Type!] possibleTypes: [__Type!]
          enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
          inputFields(includeDeprecated: Boolean = false): [__InputValue!] ofType: __Type isOneOf: Boolean
        }
        enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }
        type __Field {
          name: String! description: String args(includeDeprecated: Boolean = false): [__InputValue!]!
          type: __Type! isDeprecated: Boolean! deprecationReason: String
        }
        type __InputValue {
          name: String! description: String type: __Type! defaultValue: String
          isDeprecated: Boolean! deprecationReason: String
        }
        type __EnumValue { name: String! description: String isDeprecated: Boolean! deprecationReason: String }
        type __Directive {
          name: String! description: String isRepeatable: Boolean! locations: [__DirectiveLocation!]!
          args(includeDeprecated: Boolean = false): [__InputValue!]!
          onOperation: Boolean! @deprecated(reason: "ask for locations")
          onFragment: Boolean! @deprecated(reason: "ask for locations")
          onField: Boolean! @deprecated(reason: "ask for locations")
        }
        enum __DirectiveLocation {
          QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION
          SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT
          INPUT_FIELD_DEFINITION
        }
        """
}
