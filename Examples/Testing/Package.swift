// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Testing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "shunt", path: "../..")],
    targets: [
        .testTarget(name: "CheckoutTests", dependencies: [.product(name: "ShuntTesting", package: "shunt")])
    ],
    swiftLanguageModes: [.v6]
)
