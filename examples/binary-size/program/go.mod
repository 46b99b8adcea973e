module example.com/pkgreport

go 1.26
