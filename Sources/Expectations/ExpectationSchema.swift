/// The JSON Schema of files with expectations, for editors.
public enum ExpectationSchema {
    public static var text: String {
        let checks = Checks.all.map { "        \"\($0.key)\": \($0.schema)" }.joined(separator: ",\n")
        return """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Expectations of Shunt",
              "type": "object",
              "additionalProperties": false,
              "required": ["expect"],
              "properties": {
                "$schema": { "type": "string" },
                "expect": { "type": "array", "items": { "$ref": "#/$defs/expectation" } }
              },
              "$defs": {
                "bounds": {
                  "type": "object", "additionalProperties": false, "minProperties": 1,
                  "properties": { "min": { "type": "integer", "minimum": 0 }, "max": { "type": "integer", "minimum": 0 } }
                },
                "bytes": { "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]+[kKmMgG]?[bB]?$" }] },
                "size": {
                  "anyOf": [
                    { "$ref": "#/$defs/bytes" },
                    {
                      "type": "object", "additionalProperties": false, "minProperties": 1,
                      "properties": { "min": { "$ref": "#/$defs/bytes" }, "max": { "$ref": "#/$defs/bytes" } }
                    }
                  ]
                },
                "expectation": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "name": { "type": "string" },
                    "filter": { "type": "string", "description": "A traffic filter, as for shunt logs" },
            \(checks)
                  }
                }
              }
            }

            """
    }
}
