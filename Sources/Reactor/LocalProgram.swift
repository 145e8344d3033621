/// A program of this machine, as its user names it.
public struct LocalProgram: Sendable, Hashable {
    /// The base name of its executable, or on macOS of the application that it belongs to.
    public let name: String
    /// The base name of the script that it runs, where it is an interpreter, or of the folder with its data, where it
    /// is a browser.
    public let script: String?
    /// The container that it runs in, where that has a network of its own and its name is known.
    public package(set) var container: String?

    public init(name: String, script: String? = nil, container: String? = nil) {
        (self.name, self.script, self.container) = (name, script, container)
    }

    /// The name with the script: `python3 tests.py`, and with the container: `curl in web`.
    public var label: String { names[0] }

    /// The names by which it can be chosen, the most exact first.
    public var names: [String] {
        let names = script.map { ["\(name) \($0)", $0, name] } ?? [name]
        return container.map { container in names.map { "\($0) in \(container)" } + ["in \(container)"] + names }
            ?? names
    }
}

extension LocalProgram {
    /// - Parameters:
    ///   - executable: its path.
    ///   - arguments: with its own name as the first.
    package init?(executable: String, arguments: [String]) {
        let name = Self.application(executable) ?? Self.base(executable)
        guard !name.isEmpty else { return nil }
        guard let interpreter = Interpreter.all.first(where: { $0.isNamed(name) }) else {
            let folder = Self.dataFolder(of: name, arguments).map { Self.cleaned(Self.base($0)) }
            self.init(name: Self.cleaned(name), script: folder?.isEmpty == true ? nil : folder)
            return
        }
        // `python3.11` is `python3` to those who call it.
        self.init(
            name: Self.cleaned(String(name.prefix { $0 != "." })),
            script: interpreter.script(of: arguments.dropFirst()).map { Self.cleaned(Self.base($0)) })
    }

    /// The outermost application that a path leads into, without its ending.
    private static func application(_ path: String) -> String? {
        path.split(separator: "/").first { $0.hasSuffix(".app") && $0.utf8.count > 4 }.map { String($0.dropLast(4)) }
    }

    /// The folder in which a browser, or another program that is made of Chromium or Firefox, keeps its data, where its
    /// command line names one: the same browser with another one is another program to its user.
    private static func dataFolder(of name: String, _ arguments: [String]) -> String? {
        if name.lowercased().hasPrefix("firefox") {
            let option = arguments.firstIndex { ["-profile", "--profile", "-P"].contains($0) }
            return option.flatMap { arguments.dropFirst($0 + 1).first }.flatMap { $0.hasPrefix("-") ? nil : $0 }
        }
        let option = "--user-data-dir="
        if let word = arguments.first(where: { $0.hasPrefix(option) }) { return String(word.dropFirst(option.count)) }
        // Processes of Chromium that do a part of its work on Linux have all words in one, as their title.
        guard let title = arguments.first, arguments.dropFirst().allSatisfy(\.isEmpty),
            let place = title.firstRange(of: " " + option)
        else { return nil }
        let rest = title[place.upperBound...]
        return String(rest.firstRange(of: " --").map { rest[..<$0.lowerBound] } ?? rest)
    }

    private static func base(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Without what a terminal would obey, and no longer than a line has room for.
    package static func cleaned(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(64).map { $0.properties.isPrintable ? $0 : "?" }))
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isPrintable: Bool {
        switch generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

/// A program that runs the files of others, with those of its options that matter for finding which.
private struct Interpreter {
    let name: String
    /// Options whose value follows as a word of its own.
    var values: Set<String> = []
    /// Options behind which stands code, so that there is no file.
    var code: Set<String> = []
    /// Options that name the file.
    var files: Set<String> = []

    static let all = [
        Interpreter(name: "python", values: ["-W", "-X"], code: ["-c"], files: ["-m"]),
        Interpreter(
            name: "node", values: ["-r", "--require", "--import", "--loader", "-C"],
            code: ["-e", "--eval", "-p", "--print"]),
        Interpreter(
            name: "java",
            values: ["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--add-opens"],
            files: ["-jar", "-m", "--module"]),
        Interpreter(name: "ruby", values: ["-I", "-r"], code: ["-e"]),
        Interpreter(name: "perl", values: ["-I"], code: ["-e", "-E"]),
        Interpreter(name: "php", values: ["-d", "-c", "-t"], code: ["-r", "-S"], files: ["-f"]),
    ]

    /// Whether a program is this one in some version: `python`, `python3`, `python3.11`.
    func isNamed(_ program: String) -> Bool {
        program.hasPrefix(name) && program.dropFirst(name.count).allSatisfy { $0.isNumber || $0 == "." }
    }

    func script(of arguments: ArraySlice<String>) -> String? {
        var rest = arguments
        while let word = rest.popFirst() {
            if files.contains(word) { return rest.first }
            if code.contains(word) { return nil }
            if values.contains(word) { _ = rest.popFirst() } else if !word.hasPrefix("-") { return word }
        }
        return nil
    }
}
