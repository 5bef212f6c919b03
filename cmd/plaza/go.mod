module github.com/plaza-sdk/plaza/cmd/plaza

go 1.25.0

require (
	github.com/aws/aws-sdk-go-v2 v1.47.6
	github.com/aws/aws-sdk-go-v2/service/dynamodb v1.73.0
	github.com/plaza-sdk/plaza v0.0.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.22.0
)

replace github.com/plaza-sdk/plaza => ../..
