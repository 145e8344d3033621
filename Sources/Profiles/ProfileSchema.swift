/// The JSON Schema of a profile, which editors pick up through `$schema`.
enum ProfileSchema {
    static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Shunt profile",
          "description": "A named environment: what answers which requests, and how origins are trusted.",
          "type": "object",
          "required": ["kind"],
          "additionalProperties": false,
          "properties": {
            "$schema": { "type": "string" },
            "description": { "type": "string", "description": "What it is for, in a sentence." },
            "extends": {
              "type": "string",
              "description": "Another profile's name: what no route here matches falls to it."
            },
            "kind": {
              "enum": ["local", "staging", "production"],
              "description": "What the guards go by: production allows no disabled trust."
            },
            "routes": {
              "type": "array",
              "description": "The most specific one wins; two that match alike are an error.",
              "items": { "$ref": "#/$defs/route" }
            },
            "trust": {
              "type": "object",
              "description": "Host patterns (api.shop.test, *.shop.test, @loopback, *) and how certificates there are judged.",
              "additionalProperties": { "$ref": "#/$defs/trust" }
            },
            "certificateAuthorities": {
              "description": "CA files for all hosts with default trust, relative to this file.",
              "$ref": "#/$defs/texts"
            }
          },
          "$defs": {
            "texts": {
              "oneOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } }
              ]
            },
            "route": {
              "type": "object",
              "additionalProperties": false,
              "oneOf": [{ "required": ["origin"] }, { "required": ["mock"] }],
              "properties": {
                "host": {
                  "type": "string",
                  "description": "api.shop.test, *.shop.test for all below, * for any (the default); :port if it counts."
                },
                "path": {
                  "type": "string",
                  "pattern": "^/",
                  "description": "/v1/promo, /v1/cart/* for it and all below, /users/*/orders; without: every path."
                },
                "method": {
                  "description": "GET, or several in an array; without: every method.",
                  "$ref": "#/$defs/texts"
                },
                "headers": {
                  "type": "object",
                  "description": "Fields that must be there: a value, or true for any.",
                  "additionalProperties": { "oneOf": [{ "type": "string" }, { "const": true }] }
                },
                "origin": {
                  "type": "string",
                  "pattern": "^https?://",
                  "description": "Where requests go: scheme, host, port, and a path put before theirs."
                },
                "preserveHost": {
                  "type": "boolean",
                  "description": "Send the origin the client's Host instead of its own."
                },
                "mock": { "$ref": "#/$defs/mock" }
              }
            },
            "mock": {
              "type": "object",
              "description": "A fixed answer.",
              "additionalProperties": false,
              "properties": {
                "status": { "type": "integer", "minimum": 200, "maximum": 599 },
                "headers": { "type": "object", "additionalProperties": { "$ref": "#/$defs/texts" } },
                "json": { "description": "Any value; sent as application/json." },
                "text": { "type": "string" }
              }
            },
            "trust": {
              "oneOf": [
                { "enum": ["default", "disabled"] },
                {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "policy": { "enum": ["default", "disabled"] },
                    "certificateAuthorities": { "$ref": "#/$defs/texts" }
                  }
                }
              ]
            }
          }
        }

        """#
}
