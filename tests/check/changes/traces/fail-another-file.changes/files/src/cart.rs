a
c
