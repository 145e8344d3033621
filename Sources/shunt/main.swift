import Commands
import Platform

Terminal.openStreams()
let words = Array(CommandLine.arguments.dropFirst())
Tool.blockSignals(of: words)

// No `await` at the top level: it would hand this thread over to Dispatch, which waits with all signals open.
Task.detached { exit(await Tool.run(words)) }
while true { pause() }
