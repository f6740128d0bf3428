module example.org/iuid

go 1.18
