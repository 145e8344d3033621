print("shunt")
