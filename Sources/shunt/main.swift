import Platform

Terminal.openStreams()
let words = Array(CommandLine.arguments.dropFirst())
// Here, on the first thread, and before there is a second one: threads inherit what is blocked.
if let signals = Tool.command(named: words.first)?.signals, !signals.isEmpty { Signals.block(signals) }

// No `await` at the top level: it would hand this thread over to Dispatch, which waits with all signals open.
Task.detached { exit(await Tool.run(words)) }
while true { pause() }
