import Engine

// The servers of origins that Shunt starts. Their commands come from the files of profiles alone.
extension AdminHandler {
    var programs: [Record<API.Program>] { proxy.programs.list.map(Self.program) }

    func listOutput(_ query: Record<API.OutputOf>) throws -> Record<API.ProgramOutput> {
        do throws(ProgramFailure) {
            let (program, lines) = try proxy.programs.lines(of: query.origin, after: query.after, limit: query.limit)
            return Record {
                $0.program = Self.program(program)
                $0.lines = lines.map { line in
                    Record {
                        $0.number = line.number
                        $0.text = line.text
                    }
                }
            }
        } catch {
            throw AdminRefusal(404, error.message, advice: error.advice)
        }
    }

    func restartProgram(_ body: Record<API.ProgramName>, _ call: AdminCall) async throws -> Record<API.Program> {
        let program = try await proxy.programs.restart(body.origin)
        call.note.add(target: program.origin, after: "restarted")
        return Self.program(program)
    }

    private static func program(_ program: ProgramStatus) -> Record<API.Program> {
        Record {
            $0.origin = program.origin
            $0.command = program.command
            $0.folder = program.directory
            $0.state = program.phase
            $0.text = program.text
            $0.seconds = program.seconds
            $0.found = program.isFound
            $0.pid = program.pid.map { Int($0) }
            $0.starts = program.starts
            $0.end = program.end
        }
    }
}
