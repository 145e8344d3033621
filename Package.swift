// swift-tools-version: 6.2
import PackageDescription

/// With `SHUNT_KQUEUE=1` the files for macOS run on Linux, against what Tests/Kqueue has for its calls (`.ci/kqueue`).
let asDarwin = Context.environment["SHUNT_KQUEUE"] != nil

/// Every module is compiled alike.
///
/// Warnings are errors in `.ci/run`, which passes the flag itself: a manifest with unsafe flags could not be depended
/// on.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableExperimentalFeature("Lifetimes"),
    ] + (asDarwin ? [.define("SHUNT_KQUEUE")] : [])

func module(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], exclude: resources, swiftSettings: strict)
}

/// The commit, which `make dist` names; a build that names none stays the same from commit to commit.
let commit: [CSetting] = Context.environment["SHUNT_COMMIT"].map { [.define("SHUNT_COMMIT", to: "\"\($0)\"")] } ?? []

let calls: [Target.Dependency] = asDarwin ? ["CKqueue"] : []

// Floors, bottom to top; imports only go down (see Sources/README.md, checked by .ci/layers).
let package = Package(
    name: "shunt",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "shunt", targets: ["shunt"]),
        .library(name: "ShuntEngine", targets: ["ShuntEngine"]),
        .library(name: "ShuntTesting", targets: ["ShuntTesting"]),
    ],
    targets: [
        // 0
        .target(name: "CSystem", cSettings: commit),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev", "pkg-config"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        // Loads libpq (apt libpq5, brew libpq) at run time, when PostgreSQL is used.
        .target(name: "CPostgres"),
        // The files that browsers and tests get.
        .target(name: "CWeb"),
        module("Platform"),
        module("Bytes"),
        module("JSON"),
        module("Patterns"),
        // 1
        module("Reactor", ["Platform", "Bytes", "CSystem"] + calls),
        module("TLS", ["Platform", "Bytes", "COpenSSL", "CSystem"]),
        module("HTTP", ["Bytes"]),
        module("Age", ["Platform", "Bytes", "COpenSSL"]),
        module("Push", ["Bytes", "JSON", "COpenSSL"]),
        module("HTTP2", ["Platform", "Bytes", "CNghttp2"]),
        module("Recordings", ["Platform", "Bytes", "JSON", "Patterns"]),
        module("Postgres", ["Platform", "CPostgres"]),
        module("Protobuf", ["Bytes", "JSON"]),
        module("GraphQL", ["Bytes", "JSON"]),
        module("Contracts", ["Platform", "Bytes", "JSON", "Patterns", "CYAML"]),
        // 2
        module(
            "Profiles",
            [
                "Reactor", "HTTP", "GraphQL", "Recordings", "Contracts", "Age", "Push", "Protobuf", "Platform",
                "Bytes", "JSON", "Patterns",
            ]),
        module("Rewriting", ["HTTP", "Protobuf", "Bytes", "JSON", "Patterns", "CZlib", "CBrotli", "CZstd"]),
        module("Exchanges", ["Protobuf", "Reactor", "Platform", "Bytes", "JSON", "CZlib"]),
        module("Redaction", ["Platform", "Bytes", "JSON", "COpenSSL"]),
        module("Filter", ["Protobuf", "Platform", "Bytes", "JSON", "Patterns"]),
        // 3
        module(
            "Store",
            [
                "Exchanges", "Redaction", "Contracts", "GraphQL", "Age", "Postgres", "Reactor", "Platform", "Bytes",
                "JSON",
                "CSQLite",
            ]),
        module("Cluster", ["Postgres", "Reactor", "Platform", "JSON"]),
        // 4
        module(
            "Engine",
            [
                "Store", "Metrics", "Profiles", "Rewriting", "Exchanges", "Redaction", "Filter", "Reactor", "TLS",
                "HTTP", "HTTP2", "GraphQL", "Recordings", "Contracts", "Push", "Protobuf", "Platform", "Bytes", "JSON",
                "Patterns", "CWeb",
            ],
            exclude: ["start", "reply", "events", "webkit", "android", "prompt", "record"].map { "Bridge/\($0).js" }),
        module("ShuntEngine", ["Engine", "Store", "Profiles", "Exchanges", "Reactor", "TLS"]),
        module(
            "Inspection",
            [
                "Store", "Rewriting", "Exchanges", "Redaction", "Filter", "Recordings", "Contracts", "GraphQL",
                "Protobuf", "Push", "Platform", "Bytes", "JSON", "COpenSSL",
            ]),
        module("Metrics", ["Exchanges", "Protobuf", "CZlib"]),
        // 5
        module(
            "Expectations",
            [
                "Inspection", "Store", "Profiles", "Contracts", "GraphQL", "Protobuf", "Exchanges", "Redaction",
                "Filter", "TLS", "HTTP", "Platform", "Bytes", "JSON",
            ]),
        module(
            "Admin",
            [
                "Engine", "Inspection", "Store", "Metrics", "Cluster", "Profiles", "Exchanges", "Contracts",
                "Redaction", "Filter", "Reactor", "TLS", "HTTP", "Push", "Protobuf", "Platform", "Bytes", "JSON",
                "Patterns", "CWeb", "CZlib",
            ],
            exclude: ["Inspector/Web"]),
        // 6
        module(
            "ShuntTesting",
            [
                "Expectations", "Engine", "Inspection", "Store", "Profiles", "Exchanges", "Filter", "Reactor", "TLS",
                "Platform",
            ]),
        module(
            "Commands",
            [
                "Admin", "Expectations", "Engine", "Inspection", "Store", "Metrics", "Cluster", "Postgres", "Profiles",
                "Exchanges", "Contracts", "Protobuf", "GraphQL", "Redaction", "Filter", "Recordings", "Age", "Reactor",
                "TLS", "HTTP", "HTTP2", "Push", "Platform", "Bytes", "JSON", "CQREncode", "CSystem", "CWeb", "CZlib",
            ],
            exclude: ["ClientKit/Sessions"]),
        // 7
        .executableTarget(name: "shunt", dependencies: ["Commands", "Platform"], swiftSettings: strict),
        // Each target of tests costs a module: small ones of neighbours share one, with a folder for each.
        .target(
            name: "TestSupport", dependencies: ["HTTP2", "Bytes"] + calls, path: "Tests/TestSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "StoreWriter", dependencies: ["Store", "Exchanges", "Redaction", "Age"], path: "Tests/StoreWriter",
            swiftSettings: strict),
        .executableTarget(
            name: "EngineStarter", dependencies: ["ShuntTesting"], path: "Tests/EngineStarter", swiftSettings: strict),
        tests(
            "BasicsTests", ["Platform", "Bytes", "JSON", "Patterns", "Recordings", "Contracts", "Protobuf", "GraphQL"]),
        tests("HTTPTests", ["HTTP", "HTTP2", "Bytes"]),
        tests("CryptoTests", ["TLS", "Age", "Push", "Bytes", "CZlib"], resources: ["Age/Vectors"]),
        tests("ReactorTests", ["Reactor", "Platform", "Bytes", "CSystem"] + calls),
        tests("ProfilesTests", ["Profiles", "Contracts", "Protobuf", "JSON"], resources: ["Golden"]),
        tests("RewritingTests", ["Rewriting", "Protobuf", "HTTP", "Bytes", "JSON", "Patterns"], resources: ["Golden"]),
        tests(
            "TrafficTests",
            [
                "Inspection", "Store", "Metrics", "Cluster", "Postgres", "Exchanges", "Redaction", "Filter", "Reactor",
                "Age", "JSON", "StoreWriter", "CZlib",
            ]),
        tests(
            "EngineTests",
            [
                "Engine", "Store", "Exchanges", "Redaction", "Profiles", "Reactor", "TLS", "HTTP", "HTTP2", "Push",
                "Protobuf", "Bytes", "JSON", "COpenSSL", "GraphQL",
            ]),
        tests(
            "ExpectationsTests",
            ["ShuntTesting", "Expectations", "Contracts", "Inspection", "Store", "Exchanges", "Profiles", "JSON"],
            resources: ["Golden"]),
        tests("AdminTests", ["Admin", "Engine", "Store", "Exchanges", "Redaction", "Profiles", "JSON"]),
        tests(
            "EndToEndTests",
            [
                "Commands", "Admin", "Expectations", "Profiles", "TLS", "Push", "JSON", "Store", "Exchanges",
                "Redaction", "Bytes", "shunt",
            ],
            resources: ["Browser", "Clients", "Peers"]),
    ],
    swiftLanguageModes: [.v6]
)

if asDarwin { package.targets.append(.target(name: "CKqueue", path: "Tests/Kqueue", exclude: ["README.md"])) }

// A build of some of the tests: with `SHUNT_TESTS_OF="Rewriting Traffic"` these targets and what they need are all there
// is. `.ci/sanitize` and those who work on one floor save most of the build by it.
if let names = Context.environment["SHUNT_TESTS_OF"] {
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { return }
        for case .byNameItem(let name, _) in target.dependencies { keep(name) }
    }
    for name in names.split(separator: " ") { keep(name + "Tests") }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll()
}
