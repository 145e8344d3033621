// The servers of origins that Shunt starts.
extension API {
    package final class Program: Members {
        package let origin = Member<String>("origin", "Host and port.")
        package let command = Member<String>("command", "The first word of the command.")
        package let folder = Member<String>("folder", "Where it runs.")
        package let state = Member<String>(
            "state", "`paused` before it is started again.", of: ["idle", "starting", "ready", "paused", "stopped"])
        package let text = Member<String>("text", "The same in words, behind the origin's name.")
        package let seconds = Member<Double>("seconds", "Since when it is in this state.", min: 0)
        package let found = Member<Bool>("found", "The server ran already, and Shunt has not started it.")
        package let pid = Member<Int?>("pid")
        package let starts = Member<Int>("starts", "How often Shunt has started it.", min: 0)
        package let end = Member<String?>("end", "How it has ended the last time.")
    }

    package final class ProgramName: Members {
        package let origin = Member<String>("origin", "Host and port, a URL, or the port alone.")
    }

    package final class OutputOf: Members {
        package let origin = Member<String>("origin", "Host and port, a URL, or the port alone.")
        package let after = Member<Int>("after", "Lines behind this number.", min: 0, default: 0)
        package let limit = Member<Int>("limit", "The newest ones.", min: 1, max: 1000, default: 100)
    }

    package final class ProgramOutput: Members {
        package let program = Member<Record<Program>>("program")
        package let lines = Member<[Record<ProgramLine>]>("lines", "Oldest first, without secrets.")
    }

    package final class ProgramLine: Members {
        package let number = Member<Int>("number", min: 1)
        package let text = Member<String>("text")
    }
}
