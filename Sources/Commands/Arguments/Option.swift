/// One option of a command, as data: what is parsed and what `--help` says come from here.
struct Option: Sendable {
    /// Without the dashes.
    let name: String
    let short: Character?
    /// What stands for the value in help, such as `PORT`; nil for an option without a value.
    let value: String?
    /// May be given more than once.
    let isRepeatable: Bool
    let help: String
    /// What counts when the option is not given, in words.
    let fallback: String?
    /// The heading it stands under in help.
    private(set) var group = "Options"
    /// Names of options that it cannot be given with.
    private(set) var excludes: [String] = []
    /// Names of options without which it means nothing.
    private(set) var needs: [String] = []
    /// Names of options of which it needs one.
    private(set) var needsOne: [String] = []
    /// The actions of its command that it is for; none for all.
    private(set) var actions: [String] = []
    /// The operand, by its name in the usage, that it stands for.
    private(set) var replacedOperand: String?
    /// The one without which it means nothing.
    private(set) var neededOperand: String?
    /// It names the running Shunt that is meant.
    private(set) var isRunning = false
    /// The words that it takes; none for any text.
    private(set) var words: [String] = []

    private func with<Value>(_ member: WritableKeyPath<Option, Value>, _ value: Value) -> Option {
        var option = self
        option[keyPath: member] = value
        return option
    }

    func excluding(_ names: String...) -> Option { with(\.excludes, excludes + names) }
    func needing(_ names: String...) -> Option { with(\.needs, needs + names) }
    func needing(oneOf names: String...) -> Option { with(\.needsOne, names) }
    func needing(operand: String) -> Option { with(\.neededOperand, operand) }
    /// It stands in the place of the operands.
    func replacing(operand: String) -> Option { with(\.replacedOperand, operand) }
    /// It is for some actions of its command alone.
    func of(_ actions: String...) -> Option { with(\.actions, actions) }
    /// It stands under another heading.
    func under(_ group: String) -> Option { with(\.group, group) }

    static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
        Option(name: name, short: short, value: nil, isRepeatable: false, help: help, fallback: nil)
    }

    /// One that takes one of a few words.
    static func choice(_ name: String, _ words: [String], default fallback: String? = nil, _ help: String) -> Option {
        value(name, words.joined(separator: "|"), default: fallback, help).with(\.words, words)
    }

    static func value(
        _ name: String, short: Character? = nil, _ value: String, repeatable: Bool = false,
        default fallback: String? = nil,
        _ help: String
    ) -> Option {
        Option(name: name, short: short, value: value, isRepeatable: repeatable, help: help, fallback: fallback)
    }
}

/// Options that several commands share, so that they mean and say the same.
extension Option {
    static let help = Option.flag("help", short: "h", "Show this help.")
    static let json = Option.flag("json", "Write JSON to standard output instead of text.")
    static let profiles = Option.value(
        "profiles", "DIR",
        default: "$SHUNT_PROFILES, else the nearest folder Profiles in the working directory or above, up to the "
            + "root of the git work tree",
        "The folder with the profiles.")
    static let set = Option.value(
        "set", "'WHAT=VALUE'", repeatable: true,
        "Put a route or a trust rule before those of the profile, for this run: "
            + "'routes.api.shop.test/v1/*=https://localhost:3001', 'routes.PATTERN=profile:NAME', "
            + "'routes.PATTERN={mock:{status:503}}', 'trust.localhost=disabled'. May be given several times."
    )
    static let strict = Option.flag(
        "strict",
        "For CI: fail on every exception: disabled trust, routes that change production, and personal overrides.")
    static let quiet = Option.flag("quiet", short: "q", "Say nothing but warnings and errors.")
    static let noPager = Option.flag(
        "no-pager", "Write long output to the terminal itself, not through $SHUNT_PAGER or $PAGER.")
    static let running = Option.value(
        "port", short: "p", "PORT", default: "the one of this project, else the only one that runs",
        "The running Shunt to use, by the port that apps use."
    ).with(\.isRunning, true)
}
