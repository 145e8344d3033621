/// An object that runs in a task of its own on a worker's loop.
protocol LoopTask: AnyObject {
    func run() async
}
