module github.com/plaza-sdk/plaza/cmd/plaza

go 1.25.0

require github.com/plaza-sdk/plaza v0.0.0

replace github.com/plaza-sdk/plaza => ../..
