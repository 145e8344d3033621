// swift-tools-version: 6.2
import PackageDescription

/// Every module is compiled alike.
///
/// Warnings are errors in `.ci/run`, which passes the flag itself: a manifest with unsafe flags could not be depended
/// on.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], exclude: resources, swiftSettings: strict)
}

// Floors, bottom to top; imports only go down (see Sources/README.md, checked by .ci/layers).
let package = Package(
    name: "shunt",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "shunt", targets: ["shunt"]),
        .library(name: "Engine", targets: ["Engine"]),
    ],
    targets: [
        // 0
        .target(name: "CSystem"),
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
        module("Bytes"),
        module("JSON"),
        // 1
        module("Reactor", ["Bytes", "CSystem"]),
        module("TLS", ["Bytes", "COpenSSL", "CSystem"]),
        module("HTTP", ["Bytes"]),
        module("HTTP2", ["Bytes", "CNghttp2"]),
        // 2
        module("Profiles", ["JSON", "Bytes"]),
        module("Traffic", ["JSON", "Bytes", "COpenSSL", "CSQLite", "CZlib"]),
        module("Rewriting", ["HTTP", "Bytes", "CZlib", "CBrotli", "CZstd"]),
        // 3
        module("Engine", ["Profiles", "Rewriting", "Traffic", "Reactor", "TLS", "HTTP", "HTTP2", "JSON", "Bytes"]),
        // 4
        module(
            "Admin", ["Engine", "Profiles", "Traffic", "Reactor", "HTTP", "JSON"],
            resources: [.embedInCode("openapi.json")]),
        // 5
        .executableTarget(
            name: "shunt",
            dependencies: [
                "Admin", "Engine", "Profiles", "Traffic", "TLS", "HTTP", "JSON", "Bytes", "Reactor", "CQREncode",
            ],
            swiftSettings: strict),
        // Tests mirror the tree.
        .target(
            name: "TestSupport", dependencies: ["HTTP2", "Bytes"], path: "Tests/TestSupport", swiftSettings: strict),
        .executableTarget(
            name: "StoreWriter", dependencies: ["Traffic"], path: "Tests/StoreWriter", swiftSettings: strict),
        tests("JSONTests", ["JSON"]),
        tests("HTTPTests", ["HTTP", "Bytes"]),
        tests("HTTP2Tests", ["HTTP2", "Bytes"]),
        tests("TLSTests", ["TLS", "Bytes"]),
        tests("ReactorTests", ["Reactor", "Bytes"]),
        tests("ProfilesTests", ["Profiles", "JSON"], resources: ["Golden"]),
        tests("RewritingTests", ["Rewriting", "HTTP", "Bytes"], resources: ["Golden"]),
        tests("TrafficTests", ["Traffic", "JSON", "StoreWriter", "CZlib"]),
        tests("EngineTests", ["Engine", "Profiles", "Traffic", "TLS", "HTTP2", "COpenSSL"]),
        tests("AdminTests", ["Admin", "Engine", "Profiles", "Traffic", "JSON"]),
        tests(
            "EndToEndTests", ["TLS", "JSON", "Traffic", "shunt"], resources: ["Browser", "Clients", "Peers"]),
    ],
    swiftLanguageModes: [.v6]
)
