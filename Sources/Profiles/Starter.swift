/// The files `shunt init` writes, the same as this repository's own `Profiles/` (a test compares them).
public enum Starter {
    public static let files: [(name: String, text: String)] = [
        ("local.json", local), ("production.json", production), ("staging.json", staging),
        ("profile.schema.json", schema),
    ]

    private static let local = #"""
        {
          "$schema": "./profile.schema.json",
          "description": "Staging, with the cart from this machine",
          "kind": "local",

          // What no route below matches goes where staging sends it.
          "extends": "staging",

          // The most specific route wins, wherever it stands.
          "routes": [
            // A fixed answer.
            { "host": "api.shop.test", "path": "/v1/promo", "method": "GET", "mock": { "json": { "banner": null } } },

            // A server on this machine: /v1/cart and everything below it.
            { "host": "api.shop.test", "path": "/v1/cart/*", "origin": "https://localhost:3000" },

            // Only requests that carry the field.
            {
              "host": "m.shop.test",
              "path": "/games/*",
              "headers": { "X-Beta": "1" },
              "origin": "http://localhost:5173",
            },
          ],

          // The server above has a self-signed certificate. Everything else is checked.
          "trust": { "localhost": "disabled" },
        }

        """#

    private static let production = #"""
        {
          "$schema": "./profile.schema.json",
          "description": "The real thing",

          // Shunt refuses to load a rule that switches certificate checks off for any origin of this profile,
          // whichever profile the rule is in.
          "kind": "production",

          "routes": [
            { "host": "api.shop.test", "origin": "https://api.shop.example" },
            { "host": "m.shop.test", "origin": "https://m.shop.example" },
          ],
        }

        """#

    private static let staging = #"""
        {
          "$schema": "./profile.schema.json",
          "description": "The team's shared test environment",
          "kind": "staging",

          // The app talks to the names under "host"; Shunt talks to the servers under "origin".
          "routes": [
            { "host": "api.shop.test", "origin": "https://api.staging.shop.example" },
            { "host": "m.shop.test", "origin": "https://m.staging.shop.example" },
          ],

          // Certificates are checked as a browser would. For a CA of your own, commit its PEM file and name it:
          // "certificateAuthorities": ["../ca/staging.pem"],
        }

        """#
}
