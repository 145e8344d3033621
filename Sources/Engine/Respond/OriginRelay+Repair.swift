import Bytes
import HTTP
import Profiles

// What an origin sends is read as widely as RFC 9112 allows, sent on in its proper form, and noted.
extension OriginRelay {
    /// Repairs a head that was refused, and reads it; nil if its end is still to come.
    func mend(_ fault: HTTPFailure) throws(EngineFailure) -> Int? {
        let address = origin.pool.plan.address
        if let foreign = EngineFailure.foreign(originChannel.inputBytes, of: address) { throw foreign }
        do throws(HTTPFailure) {
            // It was repaired already, or must not be.
            guard memory.fault == nil, !use.isStrict, !originChannel.isStream else { throw fault }
            memory.fault = fault
            memory.scannedCount = 0
            return try repairHead(after: fault)
        } catch {
            // What is no status line at all is told best by what was expected first.
            let reported = error.kind == .statusLine ? memory.fault ?? error : error
            let isHTTP = originChannel.input.unsafeBytes.starts(with: "HTTP/".utf8)
            throw .lost(
                address, .wait, "sent a faulty response: \(reported.reason)",
                advice: limits.advice(on: reported.kind, ofResponse: true)
                    ?? (isHTTP
                        ? "Mend the server's response, or what lies between it and Shunt."
                        : "Is that the port of a web server? What responds there speaks something else than HTTP."))
        }
    }

    func repairHead(after fault: HTTPFailure) throws(HTTPFailure) -> Int? {
        let bytes = originChannel.inputBytes
        // The head is read from its front each time that a line has come; lines are counted.
        if memory.scannedCount > 0, bytes.count < limits.ofResponses.bytes,
            !(memory.scannedCount..<bytes.count).contains(where: { bytes[$0] == 0x0A })
        {
            memory.scannedCount = bytes.count
            return nil
        }
        memory.scannedCount = bytes.count
        guard let repair = try ResponseRepair(bytes, limits: limits.ofResponses, after: fault) else { return nil }
        originChannel.input.replace(first: repair.length, with: repair.head)
        let length = try memory.response.parse(
            originChannel.inputBytes, to: exchange.request.head.method,
            limits: HeadLimits(bytes: repair.head.count, fields: limits.ofResponses.fields))
        memory.fault = nil
        memory.response.endsConnection()
        for note in repair.notes { exchange.metrics.note(ofOrigin: note) }
        return length
    }

    /// Refuses what is read widely otherwise, and stands in no way of being read.
    func checkStrictly() throws(HTTPFailure) { try memory.response.checkStatus() }

    /// Makes room for the rest of a head that fills the input; false if there is room.
    func makeRoomForHead() -> Bool {
        guard originChannel.input.hasMemory, originChannel.input.count == originChannel.input.capacity,
            originChannel.input.count < limits.ofResponses.bytes
        else { return false }
        originChannel.input.grow(by: originChannel.input.count)
        return true
    }
}
