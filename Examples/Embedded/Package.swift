// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Embedded",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "shunt", path: "../..")],
    targets: [
        .executableTarget(name: "Embedded", dependencies: [.product(name: "ShuntEngine", package: "shunt")])
    ],
    swiftLanguageModes: [.v6]
)
