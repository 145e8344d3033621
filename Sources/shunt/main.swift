import Commands
import Platform

Terminal.openStreams()
let words = Array(CommandLine.arguments.dropFirst())
Tool.blockSignals(of: words)

// No `await` at the top level: it would hand this thread over to Dispatch, which waits with all signals open.
// And no exit(): OpenSSL would tear itself down beside threads that still use it, such as those of a check that took
// longer than its limit.
Task.detached { _exit(await Tool.run(words)) }
while true { pause() }
