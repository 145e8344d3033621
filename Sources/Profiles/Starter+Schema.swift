// The schema has long lines that editors show as one description each.
// swift-format-ignore-file
extension Starter {
    static let schema = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Shunt profile",
          "description": "One environment: who answers which requests, and how origins' certificates are judged. JSON5 is accepted.",
          "type": "object",
          "required": ["kind"],
          "additionalProperties": false,
          "properties": {
            "$schema": {
              "description": "This schema, for editors: \"./profile.schema.json\".",
              "type": "string"
            },
            "description": {
              "description": "What the environment is, in a few words; shown in listings.",
              "type": "string"
            },
            "extends": {
              "description": "The profile that answers what no route here matches: another file's name without its ending.",
              "type": "string",
              "pattern": "^[a-z0-9][a-z0-9_.-]*$"
            },
            "kind": {
              "description": "What sort of environment this is. Guards go by it, so it is not inherited.",
              "enum": ["local", "staging", "production"]
            },
            "routes": {
              "description": "Who answers which requests. The most specific route wins, wherever it stands.",
              "type": "array",
              "items": { "$ref": "#/$defs/route" }
            },
            "trust": {
              "description": "How origins' certificates are judged, by host: api.shop.test, *.shop.test, @loopback or *, with or without a port. The most specific rule wins; without one, \"default\" holds.",
              "type": "object",
              "additionalProperties": {
                "anyOf": [{ "$ref": "#/$defs/policy" }, { "$ref": "#/$defs/trustRule" }]
              }
            },
            "certificateAuthorities": {
              "description": "PEM files, relative to this profile, that are trusted beside the system's for every host with the policy \"default\".",
              "$ref": "#/$defs/authorities"
            }
          },
          "$defs": {
            "route": {
              "description": "What a request must look like, and who answers: an origin or a mock.",
              "type": "object",
              "additionalProperties": false,
              "oneOf": [{ "required": ["origin"] }, { "required": ["mock"] }],
              "properties": {
                "host": {
                  "description": "The host the client asks for: api.shop.test, *.shop.test (one or more labels below) or *, with or without a port. Without the key, any.",
                  "type": "string"
                },
                "path": {
                  "description": "/v1/promo for that path alone, /v1/cart/* for /v1/cart and all below, * as a whole segment for any one. Without the key, any. The query does not count.",
                  "type": "string",
                  "pattern": "^/"
                },
                "method": {
                  "description": "The methods, in upper case. Without the key, any.",
                  "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" }, "minItems": 1 }
                  ]
                },
                "headers": {
                  "description": "Fields the request must have: with exactly that value, or with any (true).",
                  "type": "object",
                  "additionalProperties": { "anyOf": [{ "type": "string" }, { "const": true }] }
                },
                "origin": {
                  "description": "The server that answers: https or http, a host, perhaps a port and a path that goes before the request's.",
                  "type": "string",
                  "pattern": "^[hH][tT][tT][pP][sS]?://"
                },
                "preserveHost": {
                  "description": "true sends the client's own Host to the origin, false (the default) the origin's.",
                  "type": "boolean"
                },
                "mock": { "$ref": "#/$defs/mock" }
              }
            },
            "mock": {
              "description": "A fixed answer.",
              "type": "object",
              "additionalProperties": false,
              "not": { "required": ["json", "text"] },
              "properties": {
                "status": {
                  "description": "The status, 200 without the key.",
                  "type": "integer",
                  "minimum": 200,
                  "maximum": 599
                },
                "headers": {
                  "description": "Fields of the answer. Content-Length and other framing is Shunt's.",
                  "type": "object",
                  "additionalProperties": {
                    "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
                  }
                },
                "json": {
                  "description": "The body as JSON, sent as application/json unless the headers say otherwise."
                },
                "text": {
                  "description": "The body as text, sent as text/plain unless the headers say otherwise.",
                  "type": "string"
                }
              }
            },
            "policy": {
              "description": "default checks chain and name; disabled checks nothing and is refused for production's origins.",
              "enum": ["default", "disabled"]
            },
            "trustRule": {
              "description": "A policy with its settings.",
              "type": "object",
              "additionalProperties": false,
              "required": ["policy"],
              "properties": {
                "policy": {
                  "description": "default checks chain and name; disabled checks nothing.",
                  "$ref": "#/$defs/policy"
                },
                "certificateAuthorities": {
                  "description": "PEM files, relative to this profile, that are trusted for these hosts beside the system's.",
                  "$ref": "#/$defs/authorities"
                }
              }
            },
            "authorities": {
              "type": "array",
              "items": { "type": "string", "minLength": 1 }
            }
          }
        }

        """#
}
