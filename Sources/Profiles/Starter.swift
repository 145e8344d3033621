/// The profiles that `shunt init` writes.
public enum Starter {
    public static let files: [(name: String, text: String)] = [
        ("staging.json", staging), ("production.json", production), ("local.json", local),
        ("profile.schema.json", ProfileSchema.text),
    ]

    private static let staging = """
        {
          "$schema": "./profile.schema.json",
          "description": "Everything from staging.",
          "kind": "staging",

          // The most specific route wins: first by host, then by path, method and headers.
          // A path ending in /* means everything below it, and the path itself.
          "routes": [
            { "host": "api.shop.test", "origin": "https://api.staging.shop.test" },
            { "host": "m.shop.test", "origin": "https://m.staging.shop.test" },
          ],

          // How each origin's certificate is judged. "default" checks chain and host name, and is meant where nothing
          // is said. A CA of your own is named like this, relative to this file:
          //   "certificateAuthorities": ["../certs/company-ca.pem"],
          "trust": {
            "*.shop.test": "default",
          },
        }

        """

    private static let production = """
        {
          "$schema": "./profile.schema.json",
          "description": "The real thing.",
          "kind": "production",

          "routes": [
            { "host": "api.shop.test", "origin": "https://api.shop.example" },
            { "host": "m.shop.test", "origin": "https://m.shop.example" },
          ],

          // "disabled" is an error here, and for every origin of this profile in those that extend it.
          "trust": {
            "*.shop.example": "default",
          },
        }

        """

    private static let local = """
        {
          "$schema": "./profile.schema.json",
          "description": "The cart from this machine, the rest from staging.",
          "extends": "staging",
          "kind": "local",

          "routes": [
            // A server on this machine; its certificate may be self-signed, see "trust".
            { "host": "api.shop.test", "path": "/v1/cart/*", "origin": "https://localhost:3000" },

            // An answer without any server.
            {
              "host": "api.shop.test",
              "path": "/v1/promo",
              "method": "GET",
              "mock": { "status": 200, "json": { "banner": null } },
            },
          ],

          "trust": {
            // Any certificate passes; only for this machine, never in a profile of kind production.
            "@loopback": "disabled",
          },
        }

        """
}
