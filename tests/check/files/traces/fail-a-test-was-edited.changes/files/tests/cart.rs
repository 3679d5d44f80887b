u
