import JSON

// The schema has long lines that editors show as one description each.
// swift-format-ignore-file
extension Starter {
    static let schema = (try? JSONFormatter.format(unformatted)) ?? unformatted

    private static let unformatted = ##"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Shunt profile",
          "description": "One environment: what responds to which requests, and how origins' certificates are verified. JSON5 is accepted.",
          "type": "object",
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
              "description": "The profile that responds to requests that no route here matches: another file's name without its extension.",
              "type": "string",
              "pattern": "^[a-z0-9][a-z0-9_.-]*$"
            },
            "kind": {
              "description": "The kind of environment. The guard of production depends on it, so it is not inherited; only NAME.local.json beside NAME.json may omit it.",
              "enum": ["local", "staging", "production"]
            },
            "routes": {
              "description": "What responds to which requests. The most specific route wins, wherever it is in the file.",
              "type": "array",
              "items": { "$ref": "#/$defs/route" }
            },
            "trust": {
              "description": "How origins' certificates are verified, by host: api.shop.test, *.shop.test, @loopback, 10.0.0.0/8 or *, with or without a port. The most specific rule wins; without one, \"default\" applies.",
              "type": "object",
              "additionalProperties": {
                "anyOf": [{ "$ref": "#/$defs/policy" }, { "$ref": "#/$defs/trustRule" }]
              }
            },
            "certificateAuthorities": {
              "description": "PEM files, relative to this profile, that are trusted beside the system's for every host with the policy \"default\".",
              "$ref": "#/$defs/authorities"
            },
            "allHostsMustBeEvaluated": {
              "description": "true refuses https origins without a trust rule, instead of verifying them by \"default\". Inherited.",
              "type": "boolean"
            },
            "allowedHosts": {
              "description": "Hosts of clients that routes without a host respond to, beside those that are known anyway: api.shop.example, *.shop.example, or * for all. Inherited; lists are combined.",
              "type": "array",
              "items": { "type": "string" }
            },
            "cookieJar": {
              "description": "Keeps this environment's cookies apart from others': true for a jar named like the profile, a name to share one, false for none. Inherited.",
              "anyOf": [{ "type": "boolean" }, { "type": "string", "pattern": "^[a-z0-9][a-z0-9_.-]*$" }]
            },
            "closeSockets": {
              "description": "Ends the WebSockets and event streams of the profile that was active before, when this one becomes active; false without this key. Inherited.",
              "type": "boolean"
            },
            "redact": {
              "description": "Names of values that are replaced in recorded traffic, in addition to Shunt's own rules, and names of values that are not. The case of names does not matter; * at either end stands for anything. Inherited; lists are combined.",
              "$ref": "#/$defs/redact"
            },
            "network": {
              "description": "A simulated network for this profile's clients: a preset, or figures of your own. Inherited.",
              "$ref": "#/$defs/network"
            },
            "offline": {
              "description": "serve-last keeps the last good responses to GET and HEAD in memory, and sends them when an origin cannot be reached. Inherited; false switches it off.",
              "$ref": "#/$defs/offline"
            },
            "cache": { "$ref": "#/$defs/cache" },
            "halfClose": { "$ref": "#/$defs/halfClose" },
            "clearOnSwitch": {
              "description": "What a browser forgets of a site with the first page that it gets after a switch to this profile (Clear-Site-Data). Inherited; [] for nothing.",
              "type": "array",
              "items": { "enum": ["cache", "cookies", "storage"] }
            },
            "store": {
              "description": "Recorded traffic can be sealed, so that it is never on the disk unencrypted. If any profile says so, the traffic of all profiles is sealed.",
              "type": "object",
              "additionalProperties": false,
              "required": ["seal"],
              "properties": {
                "seal": { "description": "Whether it is sealed.", "type": "boolean" },
                "recipients": { "description": "The recipients who can open it: age1… or ssh-…; without this key those in recipients.txt beside the profiles.", "type": "array", "items": { "type": "string", "minLength": 1 } }
              }
            }
          },
          "$defs": {
            "redact": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "fields": {
                  "description": "Header and trailer fields that are secrets.",
                  "$ref": "#/$defs/names"
                },
                "parameters": {
                  "description": "Parameters of URLs and forms that are secrets.",
                  "$ref": "#/$defs/names"
                },
                "json": {
                  "description": "Members of JSON that are secrets: pin is each member of that name, card.number each number directly in a card.",
                  "$ref": "#/$defs/names"
                },
                "keep": {
                  "description": "Fields, parameters and members that are never secrets.",
                  "$ref": "#/$defs/names"
                },
                "jwtClaims": {
                  "description": "true keeps the claims of JSON Web Tokens readable, but not their signature.",
                  "type": "boolean"
                }
              }
            },
            "network": {
              "anyOf": [
                { "enum": [\##(NetworkConditions.presets.map { "\"\($0.name)\"" }.joined(separator: ", "))] },
                { "$ref": "#/$defs/networkFigures" }
              ]
            },
            "oneFault": { "anyOf": [{ "$ref": "#/$defs/faultKind" }, { "$ref": "#/$defs/fault" }] },
            "faultKind": { "enum": [\##(Fault.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))] },
            "fault": {
              "type": "object",
              "additionalProperties": false,
              "required": ["kind"],
              "properties": {
                "kind": {
                  "description": "The kind of fault.",
                  "$ref": "#/$defs/faultKind"
                },
                "probability": {
                  "description": "The share of requests that it affects, above 0; 1 without this key.",
                  "type": "number",
                  "exclusiveMinimum": 0,
                  "maximum": 1
                },
                "seed": {
                  "description": "The seed of the random choice: the same seed selects the same requests; 1 without this key.",
                  "type": "integer",
                  "minimum": 0
                },
                "at": {
                  "description": "Where in the response reset and close happen: before-head without this key.",
                  "enum": ["before-head", "in-head", "after-head"]
                },
                "after": {
                  "description": "After how many bytes of the body reset, close, truncate and stream-reset happen: 10000 or \"10kB\".",
                  "anyOf": [
                    { "type": "integer", "minimum": 0 },
                    { "type": "string", "pattern": "^[0-9]+[kKmMgG]?[bB]?$" }
                  ]
                },
                "rate": {
                  "description": "How fast a slow body is: 8kbit/s without this key.",
                  "$ref": "#/$defs/rate"
                },
                "size": {
                  "description": "Bytes of the pieces of slice: 64 without this key.",
                  "anyOf": [
                    { "type": "integer", "minimum": 1 },
                    { "type": "string", "pattern": "^[0-9]+[kKmM]?[bB]?$" }
                  ]
                },
                "time": {
                  "description": "The pause between the pieces of slice (100ms without this key), the delay of the last byte for slow-close (5s), the duration of hang and connect.",
                  "$ref": "#/$defs/time"
                },
                "status": {
                  "description": "The response's status: 503 without this key.",
                  "type": "integer",
                  "minimum": 200,
                  "maximum": 599
                }
              }
            },
            "cache": {
              "description": "What clients may store of responses: apart (also without this key) lets each environment use what it has sent itself alone, as-is leaves it to origins, none lets nothing be stored. A route's own value comes before its profile's, which is inherited.",
              "enum": ["apart", "as-is", "none"]
            },
            "halfClose": {
              "description": "true waits for the response of a client that has closed its sending side; without this key such a client counts as gone, and its request at the origin ends. A route's own value comes before its profile's, which is inherited.",
              "type": "boolean"
            },
            "offline": {
              "anyOf": [{ "enum": ["serve-last", false] }, { "$ref": "#/$defs/offlineFigures" }]
            },
            "offlineFigures": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "maxSize": {
                  "description": "The maximum size of all kept responses: \"64MB\" without this key, from 64kB to 1GB. A response longer than a quarter of it is not kept.",
                  "anyOf": [
                    { "type": "integer", "minimum": 65536, "maximum": 1073741824 },
                    { "type": "string", "pattern": "^[0-9]+[kKmMgG]?[bB]?$" }
                  ]
                },
                "slowerThan": {
                  "description": "How long the origin may take to begin its response before the kept one is sent: \"2s\", from 10ms to 10m. Without this key Shunt waits for the origin.",
                  "$ref": "#/$defs/time"
                }
              }
            },
            "networkFigures": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "preset": {
                  "description": "The preset for all figures that are not given.",
                  "enum": [\##(NetworkConditions.presets.map { "\"\($0.name)\"" }.joined(separator: ", "))]
                },
                "latency": {
                  "description": "A round trip; each direction takes half of it: \"300ms\", at most 1m.",
                  "$ref": "#/$defs/time"
                },
                "jitter": {
                  "description": "By how much a round trip varies: \"50ms\", at most 1m.",
                  "$ref": "#/$defs/time"
                },
                "distribution": {
                  "description": "How it varies: evenly by at most the jitter (uniform, without this key), with the jitter as standard deviation (normal), or upwards with a long tail (pareto).",
                  "enum": ["uniform", "normal", "pareto"]
                },
                "down": {
                  "description": "The bandwidth towards the client: \"1.6Mbit/s\", from 1kbit/s to 10Gbit/s; unlimited without this key.",
                  "$ref": "#/$defs/rate"
                },
                "up": {
                  "description": "The bandwidth from the client.",
                  "$ref": "#/$defs/rate"
                },
                "loss": {
                  "description": "The share of packets that are lost: \"1%\", at most 50%. A lost packet is delayed by stall.",
                  "type": "string",
                  "pattern": "^[0-9.]+%$"
                },
                "stall": {
                  "description": "The delay until a lost packet has been sent again: a round trip and 200ms without this key.",
                  "$ref": "#/$defs/time"
                },
                "setup": {
                  "description": "The delay of a new connection before its first bytes: a round trip without this key.",
                  "$ref": "#/$defs/time"
                },
                "outages": {
                  "description": "Times in which no bytes pass.",
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["every", "for"],
                  "properties": {
                    "every": {
                      "description": "The time between two outages: \"20s\", or the shortest and the longest.",
                      "$ref": "#/$defs/times"
                    },
                    "for": {
                      "description": "How long an outage lasts.",
                      "$ref": "#/$defs/times"
                    }
                  }
                },
                "seed": {
                  "description": "The seed of jitter, loss and outages: the same seed gives the same sequence; 1 without this key.",
                  "type": "integer",
                  "minimum": 0
                }
              }
            },
            "rate": {
              "type": "string",
              "pattern": "^[0-9.]+[kMG]?bit/s$"
            },
            "times": {
              "anyOf": [
                { "$ref": "#/$defs/time" },
                { "type": "array", "minItems": 1, "maxItems": 2, "items": { "$ref": "#/$defs/time" } }
              ]
            },
            "names": {
              "type": "array",
              "items": { "type": "string", "minLength": 1 }
            },
            "route": {
              "description": "What a request must look like, and what responds: an origin, several in turn, a mock, a redirect or files.",
              "type": "object",
              "additionalProperties": false,
              "oneOf": [\##((["{ \"required\": [\"origin\"] }"] + LocalResponders.kinds.map { $0.alternative }).joined(separator: ", "))],
              "properties": {
                "name": {
                  "description": "The name by which `shunt mocks` switches a mock, redirect, files, recording or push on and off; made from the path without this key.",
                  "type": "string",
                  "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
                },
                "host": {
                  "description": "The host of the request: api.shop.test, *.shop.test (one or more labels below) or *, with or without a port. Without this key, any.",
                  "type": "string"
                },
                "path": {
                  "description": "/v1/promo for only that path, /v1/cart/* for /v1/cart and all below, * as a whole segment for any one. Without this key, any. The query is ignored.",
                  "type": "string",
                  "pattern": "^/"
                },
                "method": {
                  "description": "The methods, in upper case. Without this key, any.",
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
                "match": { "$ref": "#/$defs/match" },
                "scenario": {
                  "description": "The name of the states of \"when\" and \"then\", if a profile has several that are independent of each other.",
                  "type": "string"
                },
                "when": {
                  "description": "The route matches in this state only. A scenario begins in the state that its first route names.",
                  "$ref": "#/$defs/state"
                },
                "then": {
                  "description": "The state after a response of this route.",
                  "$ref": "#/$defs/state"
                },
                "origin": {
                  "description": "The server that responds: https or http, a host, optionally a port and a path that is put before the request's. Or several that are asked in turn until one responds; \"profile:NAME\" is the response of that profile.",
                  "anyOf": [
                    { "$ref": "#/$defs/url" },
                    {
                      "type": "array",
                      "items": { "anyOf": [{ "$ref": "#/$defs/url" }, { "type": "string", "pattern": "^profile:" }] },
                      "minItems": 2
                    }
                  ]
                },
                "fallback": { "$ref": "#/$defs/fallback" },
                "preserveHost": {
                  "description": "true sends the client's own Host to the origin, false (the default) the origin's.",
                  "type": "boolean"
                },
                "strict": {
                  "description": "true refuses responses that break RFC 9112 with 502; false (the default) sends on what can be read in one way only, and notes it.",
                  "type": "boolean"
                },
                "forwarded": {
                  "description": "Whether X-Forwarded-For, -Proto and -Host are added to requests: true by default in a profile of kind local, and with preserveHost for an http origin. With true also requests of the origin's own pages say that the client uses https.",
                  "type": "boolean"
                },
                "via": {
                  "description": "Whether Via is added to requests: true by default. Some servers do not compress responses to requests with it.",
                  "type": "boolean"
                },
                "proxy": {
                  "description": "The proxy by which the origin is reached, instead of the environment's: http://HOST:PORT or socks5://HOST:PORT; \"direct\" for none. Credentials are in an environment variable.",
                  "anyOf": [
                    { "type": "string", "pattern": "^(direct$|http://|socks5h?://)" },
                    {
                      "type": "object",
                      "properties": {
                        "url": { "description": "http://HOST:PORT or socks5://HOST:PORT.", "type": "string", "pattern": "^(http|socks5h?)://" },
                        "credentialsVariable": {
                          "description": "The environment variable that holds USER:PASSWORD.",
                          "type": "string"
                        }
                      },
                      "required": ["url"],
                      "additionalProperties": false
                    }
                  ]
                },
                "tls": {
                  "description": "passthrough: TLS connections for this host are passed on to the origin without being decrypted, for clients that pin its certificate.",
                  "const": "passthrough"
                },
                \##(LocalResponders.kinds.map { $0.schema }.joined(separator: ",\n").split(separator: "\n").joined(separator: "\n        ")),
                "rewrite": {
                  "description": "What is rewritten so that clients do not see the origin's own address: all but bodies without this key, nothing with false.",
                  "anyOf": [{ "type": "boolean" }, { "$ref": "#/$defs/rewrite" }]
                },
                "cors": {
                  "description": "Responds to cross-origin requests of web pages instead of the origin: true for every page.",
                  "anyOf": [{ "type": "boolean" }, { "$ref": "#/$defs/cors" }]
                },
                "allow": {
                  "description": "What the guard of production allows on this route without unlocking: unsafe methods in upper case, websocket, grpc.",
                  "type": "array",
                  "items": { "anyOf": [{ "enum": ["websocket", "grpc"] }, { "type": "string", "pattern": "^[^a-z]+$" }] }
                },
                "graphql": {
                  "description": "true: requests are GraphQL whatever the path, so that the guard of production allows queries and refuses mutations.",
                  "type": "boolean"
                },
                "request": {
                  "description": "Changes to requests before an origin gets them.",
                  "$ref": "#/$defs/request"
                },
                "response": {
                  "description": "Changes to responses before clients get them.",
                  "$ref": "#/$defs/response"
                },
                "inject": {
                  "description": "HTML, scripts and styles that are inserted into pages.",
                  "$ref": "#/$defs/inject"
                },
                "bridge": {
                  "description": "A file, relative to this profile, with the replies of a hybrid app's native code to its pages: bridge.json.",
                  "type": "string",
                  "minLength": 1
                },
                "network": {
                  "description": "Latency, jitter and bandwidth of this route's responses only; the other settings of a network belong to the profile.",
                  "$ref": "#/$defs/network"
                },
                "fault": {
                  "description": "Faults of this route's responses; of several, the first one that its probability selects.",
                  "anyOf": [
                    { "$ref": "#/$defs/oneFault" },
                    { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/oneFault" } }
                  ]
                },
                "offline": {
                  "description": "The same as in the profile, for this route only.",
                  "$ref": "#/$defs/offline"
                },
                "cache": { "$ref": "#/$defs/cache" },
                "halfClose": { "$ref": "#/$defs/halfClose" }
              }
            },
            "request": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "headers": {
                  "description": "Fields that are removed, set and added, in this order. Shunt writes Host and the fields of framing itself.",
                  "$ref": "#/$defs/headerChanges"
                },
                "query": {
                  "description": "Parameters that are removed and set; all others stay the same, byte for byte.",
                  "$ref": "#/$defs/queryChanges"
                },
                "path": {
                  "description": "Patterns of paths with the paths that the origin has for them: { \"/api/v1/*\": \"/v1/*\" }. The most specific one counts; each * stands for what the client's path has there.",
                  "type": "object",
                  "propertyNames": { "pattern": "^/" },
                  "additionalProperties": { "type": "string", "pattern": "^/" }
                }
              }
            },
            "response": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "headers": {
                  "description": "Fields that are removed, set and added, in this order. Shunt writes the fields of framing itself.",
                  "$ref": "#/$defs/headerChanges"
                },
                "status": {
                  "description": "The status that clients get: 503 whatever the response's own, or { \"404\": 200 }.",
                  "anyOf": [
                    { "$ref": "#/$defs/status" },
                    { "type": "object", "additionalProperties": { "$ref": "#/$defs/status" } }
                  ]
                }
              }
            },
            "status": {
              "type": "integer",
              "minimum": 200,
              "maximum": 599
            },
            "headerChanges": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "set": {
                  "description": "Fields that replace all fields of their names; an array has several values.",
                  "$ref": "#/$defs/headerValues"
                },
                "add": {
                  "description": "Fields that are added after those of their names; an array has several values.",
                  "$ref": "#/$defs/headerValues"
                },
                "remove": {
                  "description": "Names of fields that are removed.",
                  "$ref": "#/$defs/names"
                }
              }
            },
            "headerValues": {
              "type": "object",
              "additionalProperties": {
                "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
              }
            },
            "queryChanges": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "set": {
                  "description": "Parameters, unescaped, that replace all parameters of their names.",
                  "type": "object",
                  "additionalProperties": { "type": ["string", "number", "boolean"] }
                },
                "remove": {
                  "description": "Names of parameters, unescaped, that are removed.",
                  "$ref": "#/$defs/names"
                }
              }
            },
            "inject": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "head": {
                  "description": "HTML for the end of the head: a file that ends in .js, .css or .html, relative to this profile, or HTML that begins with <.",
                  "$ref": "#/$defs/injected"
                },
                "body": {
                  "description": "HTML for the end of the body, in the same forms.",
                  "$ref": "#/$defs/injected"
                }
              }
            },
            "injected": {
              "anyOf": [
                { "type": "string", "minLength": 1 },
                { "type": "array", "items": { "type": "string", "minLength": 1 } }
              ]
            },
            "match": {
              "description": "Further conditions on a request; each value is a text, a regular expression like { \"regex\": \"^[0-9]+$\" }, true where any will do, or false where there must be none.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "query": {
                  "description": "Parameters of the query, decoded.",
                  "$ref": "#/$defs/conditions"
                },
                "headers": {
                  "description": "Fields, like the route's own headers.",
                  "$ref": "#/$defs/conditions"
                },
                "cookies": {
                  "description": "Cookies by name.",
                  "$ref": "#/$defs/conditions"
                },
                "body": {
                  "description": "Members of a JSON body by their path: user.name, items.0.id.",
                  "$ref": "#/$defs/conditions"
                },
                "json": {
                  "description": "A JSON body: objects may have more members, everything else must be equal."
                }
              }
            },
            "conditions": {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  { "type": ["string", "number", "boolean"] },
                  {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["regex"],
                    "properties": {
                      "regex": {
                        "description": "A regular expression that is found in the value; the case of ASCII letters does not matter.",
                        "type": "string"
                      }
                    }
                  }
                ]
              }
            },
            "state": {
              "type": "string",
              "minLength": 1
            },
            "url": {
              "type": "string",
              "pattern": "^[hH][tT][tT][pP][sS]?://"
            },
            "fallback": {
              "description": "When the next of several origins is asked, in addition to failures before a response.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "statuses": {
                  "description": "Statuses after which the next one is asked, such as 404, 501 and 503.",
                  "type": "array",
                  "items": { "type": "integer", "minimum": 400, "maximum": 599 }
                },
                "timeout": {
                  "description": "How long each origin but the last may take to begin its response: \"2s\", from 10ms to 10m.",
                  "$ref": "#/$defs/time"
                },
                "remember": {
                  "description": "How long an origin that could not be reached is skipped: \"5s\" without this key, at most 10m.",
                  "$ref": "#/$defs/time"
                },
                "hold": {
                  "description": "Bytes of a request's body that are buffered so that they can be sent again: \"64kB\" without this key, at most 8MB.",
                  "anyOf": [
                    { "type": "integer", "minimum": 0, "maximum": 8388608 },
                    { "type": "string", "pattern": "^[0-9]+[kKmM]?[bB]?$" }
                  ]
                }
              }
            },
            "time": {
              "type": "string",
              "pattern": "^[0-9.]+(ms|s|m|h)$"
            },
            "rewrite": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "addresses": {
                  "description": "Location, Link, Origin, Referer and similar fields; true without this key.",
                  "type": "boolean"
                },
                "cookies": {
                  "description": "Set-Cookie, so that clients accept and return cookies for the address they use; true without this key.",
                  "type": "boolean"
                },
                "pins": {
                  "description": "Removes fields that would pin a client to an address: HSTS, Alt-Svc, report endpoints; true without this key.",
                  "type": "boolean"
                },
                "clearSiteData": {
                  "description": "Removes Clear-Site-Data; false without this key.",
                  "type": "boolean"
                },
                "bodies": {
                  "description": "Absolute URLs within text of responses, and back within text and forms of requests; false without this key.",
                  "type": "boolean"
                }
              }
            },
            "cors": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "origins": {
                  "description": "Which pages may send requests: https://app.shop.test, https://*.shop.test, http://localhost:*. Without this key, all.",
                  "type": "array",
                  "items": { "type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#@]+$" }
                },
                "credentials": {
                  "description": "Whether cookies may be sent along; true without this key.",
                  "type": "boolean"
                },
                "methods": {
                  "description": "The methods, in upper case. Without this key, all.",
                  "type": "array",
                  "items": { "type": "string" }
                },
                "headers": {
                  "description": "Fields that pages may send. Without this key, all.",
                  "type": "array",
                  "items": { "type": "string" }
                },
                "exposedHeaders": {
                  "description": "Fields of responses that pages may read, in addition to those that they always may.",
                  "type": "array",
                  "items": { "type": "string" }
                },
                "maxAge": {
                  "description": "Seconds for which a browser may reuse the response to a preflight; 60 without this key.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 86400
                }
              }
            },
            "mock": {
              "description": "A response of Shunt itself, or several in turn or at random.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "status": {
                  "description": "The status, 200 without this key; several are used one after the other: [503, 503, 200]; with weights at random: { \"200\": 9, \"503\": 1 }.",
                  "anyOf": [
                    { "$ref": "#/$defs/mockStatus" },
                    { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/mockStatus" } },
                    { "type": "object", "minProperties": 1, "additionalProperties": { "$ref": "#/$defs/mockWeight" } }
                  ]
                },
                "responses": {
                  "description": "Several responses, one after the other, or at random if each has a weight.",
                  "type": "array",
                  "minItems": 1,
                  "items": { "$ref": "#/$defs/mockResponse" }
                },
                "loop": {
                  "description": "true: after the last of several responses the first one is used again; without this key the last one is repeated.",
                  "type": "boolean"
                },
                "seed": {
                  "description": "The seed of random choices: with one, each start of Shunt gives the same responses and delays.",
                  "type": "integer",
                  "minimum": 0
                },
                "headers": { "$ref": "#/$defs/mockHeaders" },
                "json": { "$ref": "#/$defs/mockJSON" },
                "text": { "$ref": "#/$defs/mockText" },
                "file": { "$ref": "#/$defs/mockFile" },
                "template": { "$ref": "#/$defs/mockTemplate" },
                "delay": { "$ref": "#/$defs/mockDelay" }
              }
            },
            "mockResponse": {
              "description": "One of several responses.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "status": { "$ref": "#/$defs/mockStatus" },
                "headers": { "$ref": "#/$defs/mockHeaders" },
                "json": { "$ref": "#/$defs/mockJSON" },
                "text": { "$ref": "#/$defs/mockText" },
                "file": { "$ref": "#/$defs/mockFile" },
                "template": { "$ref": "#/$defs/mockTemplate" },
                "delay": { "$ref": "#/$defs/mockDelay" },
                "weight": { "$ref": "#/$defs/mockWeight" }
              }
            },
            "mockStatus": {
              "description": "The status, 200 without this key.",
              "type": "integer",
              "minimum": 200,
              "maximum": 599
            },
            "mockHeaders": {
              "description": "Fields of the response. Shunt writes Content-Length and other framing itself.",
              "type": "object",
              "additionalProperties": {
                "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
              }
            },
            "mockJSON": {
              "description": "The body as JSON, sent as application/json unless the headers say otherwise."
            },
            "mockText": {
              "description": "The body as text, sent as text/plain unless the headers say otherwise.",
              "type": "string"
            },
            "mockFile": {
              "description": "A file with the body, relative to this profile; its extension determines the Content-Type. A changed file is used at once.",
              "type": "string",
              "minLength": 1
            },
            "mockTemplate": {
              "description": "true: the body has placeholders like {{path.id}} that are filled from the request.",
              "type": "boolean"
            },
            "mockDelay": {
              "description": "How long the response is delayed: \"300ms\", or the shortest and the longest time: [\"100ms\", \"2s\"], at most 10m.",
              "anyOf": [
                { "$ref": "#/$defs/time" },
                { "type": "array", "minItems": 1, "maxItems": 2, "items": { "$ref": "#/$defs/time" } }
              ]
            },
            "mockWeight": {
              "description": "How often this response is used, relative to the others.",
              "type": "number",
              "exclusiveMinimum": 0,
              "maximum": 1000000
            },
            "policy": {
              "description": "default checks chain and name; revocation also checks whether a certificate was revoked; disabled checks nothing and is refused for production's origins.",
              "enum": ["default", "revocation", "disabled"]
            },
            "evaluator": {
              "description": "A part of a composite policy: all parts must pass.",
              "anyOf": [
                { "$ref": "#/$defs/policy" },
                {
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["policy"],
                  "properties": {
                    "policy": { "$ref": "#/$defs/trustRule/properties/policy" },
                    "validateHost": { "$ref": "#/$defs/trustRule/properties/validateHost" },
                    "performDefaultValidation": { "$ref": "#/$defs/trustRule/properties/performDefaultValidation" },
                    "options": { "$ref": "#/$defs/trustRule/properties/options" },
                    "certificates": { "$ref": "#/$defs/trustRule/properties/certificates" },
                    "acceptSelfSignedCertificates": { "$ref": "#/$defs/trustRule/properties/acceptSelfSignedCertificates" },
                    "keys": { "$ref": "#/$defs/trustRule/properties/keys" },
                    "evaluators": { "$ref": "#/$defs/trustRule/properties/evaluators" }
                  }
                }
              ]
            },
            "trustRule": {
              "description": "A policy with its settings.",
              "type": "object",
              "additionalProperties": false,
              "required": ["policy"],
              "properties": {
                "policy": {
                  "description": "default checks chain and name, the others also what their name says; composite has parts that must all pass; disabled checks nothing.",
                  "enum": ["default", "revocation", "pinnedCertificates", "publicKeys", "composite", "disabled"]
                },
                "validateHost": {
                  "description": "false accepts a certificate for another host; the origin is then unverified.",
                  "type": "boolean"
                },
                "performDefaultValidation": {
                  "description": "false does not check the chain to an authority, unless validateHost requires it.",
                  "type": "boolean"
                },
                "options": {
                  "description": "For revocation: any, or ocsp or crl; preferCRL; networkAccessDisabled; requirePositiveResponse refuses certificates whose status is unknown.",
                  "type": "array",
                  "items": {
                    "enum": ["any", "ocsp", "crl", "preferCRL", "networkAccessDisabled", "requirePositiveResponse"]
                  }
                },
                "certificates": {
                  "description": "For pinnedCertificates: PEM files, relative to this profile. One of these certificates must be in the chain.",
                  "$ref": "#/$defs/authorities"
                },
                "acceptSelfSignedCertificates": {
                  "description": "For pinnedCertificates: true makes them the only anchors, so that a self-signed one passes.",
                  "type": "boolean"
                },
                "keys": {
                  "description": "For publicKeys: sha256/…= pins, or PEM files with certificates that have the keys. One of these keys must be in the chain.",
                  "$ref": "#/$defs/authorities"
                },
                "evaluators": {
                  "description": "For composite: the policies that must all pass, in this order.",
                  "type": "array",
                  "minItems": 1,
                  "items": { "$ref": "#/$defs/evaluator" }
                },
                "certificateAuthorities": {
                  "description": "PEM files, relative to this profile, that are trusted for these hosts beside the system's.",
                  "$ref": "#/$defs/authorities"
                },
                "clientCertificate": {
                  "description": "The certificate that Shunt shows to these hosts if they request one.",
                  "$ref": "#/$defs/clientCertificate"
                },
                "minTLS": {
                  "description": "The oldest version of TLS for these hosts; 1.2 without this key.",
                  "enum": ["1.0", "1.1", "1.2", "1.3"]
                },
                "ciphers": {
                  "description": "The only cipher suites that are offered, by the names of `openssl ciphers -s`.",
                  "type": "array",
                  "items": { "type": "string", "pattern": "^[A-Z0-9_-]+$" }
                },
                "strict": {
                  "description": "true refuses chains with faults of form that browsers forgive, such as an authority without keyUsage.",
                  "type": "boolean"
                },
                "until": {
                  "description": "The last day, in UTC, on which an exception such as \"disabled\" applies; required for public hosts.",
                  "type": "string",
                  "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
                },
                "reason": {
                  "description": "Why nothing is checked, in a line; required for public hosts.",
                  "type": "string",
                  "minLength": 1
                }
              }
            },
            "clientCertificate": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "certificate": {
                  "description": "A PEM file: the certificate, then its intermediates.",
                  "type": "string",
                  "minLength": 1
                },
                "key": {
                  "description": "A PEM file with the private key.",
                  "type": "string",
                  "minLength": 1
                },
                "pkcs12": {
                  "description": "Instead of both: a PKCS #12 file (.p12, .pfx).",
                  "type": "string",
                  "minLength": 1
                },
                "passphraseFile": {
                  "description": "A file whose first line is the pass phrase.",
                  "type": "string",
                  "minLength": 1
                },
                "passphraseVariable": {
                  "description": "The environment variable with the pass phrase.",
                  "type": "string",
                  "minLength": 1
                }
              }
            },
            "authorities": {
              "type": "array",
              "items": { "type": "string", "minLength": 1 }
            }
          }
        }

        """##
}
