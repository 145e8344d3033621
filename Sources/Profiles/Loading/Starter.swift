/// The files `shunt init` writes, the same as this repository's own `Profiles/` (a test compares them).
public enum Starter {
    public static let files: [(name: String, text: String)] = [
        ("local.json", local), ("production.json", production), ("staging.json", staging),
        ("profile.schema.json", KeyTables.schema),
    ]

    /// What git is not to see: personal overrides.
    public static let ignoredNames = ["*.local.json", "*.local.json5"]

    private static let local = #"""
        {
          "$schema": "./profile.schema.json",
          "description": "Staging, with the cart from this machine",
          "kind": "local",

          // Requests that no route below matches go by the routes of staging.
          "extends": "staging",

          // The most specific route wins, wherever it is in the file.
          "routes": [
            // A mock: a response of Shunt itself.
            { "host": "api.shop.test", "path": "/v1/promo", "method": "GET", "mock": { "json": { "banner": null } } },

            // A server on this machine: /v1/cart and everything below it.
            { "host": "api.shop.test", "path": "/v1/cart/*", "origin": "https://localhost:3000" },

            // Staging responds if nothing runs at port 3001, or if that server has no such page.
            {
              "host": "api.shop.test",
              "path": "/v1/search/*",
              "origin": ["http://localhost:3001", "profile:staging"],
              "fallback": { "statuses": [404, 501], "timeout": "2s" },
            },

            // Only requests with this header field.
            {
              "host": "m.shop.test",
              "path": "/games/*",
              "headers": { "X-Beta": "1" },
              "origin": "http://localhost:5173",
            },
          ],

          // The server above has a self-signed certificate. All other certificates are checked.
          "trust": { "localhost": "disabled" },

          // Put your personal changes into local.local.json, which git ignores.
        }

        """#

    private static let production = #"""
        {
          "$schema": "./profile.schema.json",
          "description": "The real thing",

          // Shunt refuses to load a rule that switches certificate checks off for any origin of this profile,
          // whichever profile has the rule. Production is read-only: POST and the like need `shunt unlock production`.
          "kind": "production",

          "routes": [
            { "host": "api.shop.test", "origin": "https://api.shop.example" },
            { "host": "api.shop.test", "path": "/v1/login", "origin": "https://api.shop.example", "allow": ["POST"] },
            { "host": "m.shop.test", "origin": "https://m.shop.example" },
          ],
        }

        """#

    private static let staging = #"""
        {
          "$schema": "./profile.schema.json",
          "description": "The team's shared test environment",
          "kind": "staging",

          // Keeps the cookies of staging apart: you are still logged in here after a visit to another profile.
          // "cookieJar": true,

          // The app connects to the names under "host", Shunt to the servers under "origin". Addresses, cookies and
          // CORS fields of responses get the app's names. Add "cors": true for a server without CORS,
          // "rewrite": { "bodies": true } for absolute URLs in bodies, "rewrite": false to change nothing.
          "routes": [
            { "host": "api.shop.test", "origin": "https://api.staging.shop.example" },
            { "host": "m.shop.test", "origin": "https://m.staging.shop.example" },
          ],

          // Certificates are checked as a browser would. For a CA of your own, commit its PEM file and name it:
          // "certificateAuthorities": ["../ca/staging.pem"],
          // The last resort, with its last day (required for public hosts):
          // "trust": { "m.staging.shop.example": { "policy": "disabled", "until": "2027-01-31", "reason": "CA to come" } },
        }

        """#
}
