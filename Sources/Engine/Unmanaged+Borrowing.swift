extension Unmanaged {
    /// Calls `body` with the object without counting a reference; its owner keeps it alive meanwhile.
    @inline(__always)
    func borrow<Value, Failure: Error>(_ body: (Instance) throws(Failure) -> Value) throws(Failure) -> Value {
        // The standard library's own has no typed errors.
        try _withUnsafeGuaranteedRef { object -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(object)) } catch { return .failure(error) }
        }.get()
    }
}
