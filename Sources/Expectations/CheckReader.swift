import Filter
import JSON
import Platform
import Profiles

/// Reads the values of checks, and reports what is wrong with them at their places.
struct CheckReader {
    let reporter: Reporter
    /// Reads a file that is named, relative to the file with the expectations.
    var read: (String) throws(FileFailure) -> [UInt8] = { path throws(FileFailure) in try Files.read(path) }

    func wrong(_ value: JSONValue, _ what: String, expected: String) {
        reporter.report(value.position, what, expected: expected)
    }

    func filter(_ value: JSONValue) -> FilterText? {
        guard let text = value.string else {
            wrong(value, "\(value.kindName) where a filter should be", expected: "a text like \"~d api & ~c 5xx\"")
            return nil
        }
        do throws(FilterFailure) {
            return try FilterText(text)
        } catch {
            let message = error.message.isEmpty ? "wrong" : error.message
            reporter.report(
                value.position, "the filter \"\(text)\" is wrong in column \(error.column): \(message)",
                expected: error.expected)
            return nil
        }
    }

    /// A number alone, or bounds; both ends included.
    func bounds(_ value: JSONValue, _ one: (JSONValue) -> Int?, what: String, isMax: Bool = false) -> Bounds? {
        if value.object == nil {
            guard let number = one(value) else { return refuse(value, what) }
            return isMax ? Bounds(min: nil, max: number) : Bounds(min: number, max: number)
        }
        guard let fields = Fields(value, "bounds", keys: ["min", "max"], reporter) else { return nil }
        var bounds = Bounds()
        if let min = fields["min"] {
            guard let number = one(min) else { return refuse(min, what) }
            bounds.min = number
        }
        if let max = fields["max"] {
            guard let number = one(max) else { return refuse(max, what) }
            bounds.max = number
        }
        guard bounds.min != nil || bounds.max != nil else { return refuse(value, what) }
        if let min = bounds.min, let max = bounds.max, min > max {
            wrong(value, "min \(min) is above max \(max)", expected: "min up to max")
            return nil
        }
        return bounds
    }

    private func refuse(_ value: JSONValue, _ what: String) -> Bounds? {
        wrong(value, "a wrong value (\(value.kindName))", expected: what)
        return nil
    }

    static func count(_ value: JSONValue) -> Int? { value.number?.int64.flatMap { $0 >= 0 ? Int(exactly: $0) : nil } }

    static func size(_ value: JSONValue) -> Int? { count(value) ?? value.string.flatMap { Quantity.size($0) } }

    /// Microseconds.
    static func duration(_ value: JSONValue) -> Int? {
        value.string.flatMap { Quantity.duration($0) }.map { Int($0 / 1000) }
    }
}

/// A range with open ends.
struct Bounds: Sendable, Equatable {
    var min: Int?
    var max: Int?

    func contains(_ number: Int) -> Bool { number >= min ?? .min && number <= max ?? .max }

    /// `3`, `at least 1`, `1 to 3`.
    func words(_ text: (Int) -> String = { "\($0)" }) -> String {
        switch (min, max) {
        case (let min?, let max?): min == max ? text(min) : "\(text(min)) to \(text(max))"
        case (let min?, nil): "at least \(text(min))"
        case (nil, let max?): "at most \(text(max))"
        case (nil, nil): "any"
        }
    }
}
