/// Letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
public func editDistance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var next = [row]
        for column in 1...right.count {
            let change = left[row - 1] == right[column - 1] ? 0 : 1
            var cost = min(last[column] + 1, next[column - 1] + 1, last[column - 1] + change)
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                cost = min(cost, beforeLast[column - 2] + 1)
            }
            next.append(cost)
        }
        (beforeLast, last) = (last, next)
    }
    return last[right.count]
}
