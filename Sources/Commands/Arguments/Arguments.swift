/// A command line that was understood: which options with which values, and the rest.
struct Arguments: Sendable {
    /// Values by option name, in the order given; a flag has an empty text.
    private var given: [String: [String]] = [:]
    /// What is no option, in order.
    private(set) var operands: [String] = []

    /// Reads words according to a table of options.
    ///
    /// `--name value`, `--name=value`, `-n value`, `-nvalue`; flags of one letter may stand together; after `--`
    /// everything is an operand.
    init(_ words: [String], options: [Option]) throws {
        try read(words[...], options)
        for option in options where has(option.name) {
            if let other = option.excludes.first(where: has) {
                throw UsageError("--\(option.name) and --\(other) exclude each other", advice: "Give one of them.")
            }
            if let other = option.needs.first(where: { !has($0) }) {
                throw UsageError("--\(option.name) needs --\(other)", advice: "Give both, or neither.")
            }
            guard option.needsOne.isEmpty || option.needsOne.contains(where: has) else {
                throw UsageError("--\(option.name) needs \(Words.choice(option.needsOne.map { "--\($0)" }))")
            }
        }
    }

    /// Takes an operand for the value of an option.
    mutating func add(_ option: String, _ value: String) { given[option, default: []].append(value) }

    private mutating func read(_ words: ArraySlice<String>, _ options: [Option]) throws {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2), &rest, options)
            } else if word.hasPrefix("-") && word != "-" {
                try takeShort(word.dropFirst(), &rest, options)
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func takeLong(_ word: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]) throws {
        let equals = word.firstIndex(of: "=")
        let name = String(word[..<(equals ?? word.endIndex)])
        guard let option = options.first(where: { $0.name == name }) else {
            let near = Nearest.match(name, in: options.map(\.name))
            throw UsageError("there is no option --\(name)", advice: near.map { "Did you mean --\($0)?" })
        }
        var value = equals.map { String(word[word.index(after: $0)...]) }
        if let placeholder = option.value {
            value = value ?? rest.popFirst()
            guard let value else {
                throw UsageError("--\(name) needs a value", advice: "Write --\(name) \(placeholder).")
            }
            try add(option, value)
        } else {
            guard value == nil else { throw UsageError("--\(name) takes no value, but got “\(value ?? "")”") }
            try add(option, "")
        }
    }

    private mutating func takeShort(_ word: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]) throws {
        var letters = word
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                throw UsageError("there is no option -\(letter)")
            }
            guard let placeholder = option.value else {
                try add(option, "")
                continue
            }
            if letters.first == "=" { letters.removeFirst() }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw UsageError("-\(letter) needs a value", advice: "Write -\(letter) \(placeholder).")
            }
            return try add(option, value)
        }
    }

    private mutating func add(_ option: Option, _ value: String) throws {
        guard option.words.isEmpty || option.words.contains(value) else {
            let near = Nearest.match(value, in: option.words).map { "Did you mean \($0)? " } ?? ""
            throw UsageError(
                "--\(option.name) “\(value)” is not possible", advice: near + "Give \(Words.choice(option.words)).")
        }
        guard option.isRepeatable || option.value == nil || given[option.name] == nil else {
            throw UsageError("--\(option.name) is given twice", advice: "Give it once.")
        }
        given[option.name, default: []].append(value)
    }

    func has(_ name: String) -> Bool { given[name] != nil }
    func text(_ name: String) -> String? { given[name]?.last }
    func texts(_ name: String) -> [String] { given[name] ?? [] }
}
