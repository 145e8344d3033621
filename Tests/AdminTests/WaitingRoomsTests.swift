import Admin
import Testing

@Suite struct WaitingRoomsTests {
    @Test func `few requests wait at a time, and each makes room when it is over`() {
        let rooms = WaitingRooms()
        var places = (0..<WaitingRooms.count).compactMap { _ in rooms.enter() }
        #expect(places.count == WaitingRooms.count && rooms.enter() == nil)
        places.removeLast()
        let next = rooms.enter()
        #expect(next != nil && rooms.enter() == nil)
        withExtendedLifetime((places, next)) {}
    }
}
