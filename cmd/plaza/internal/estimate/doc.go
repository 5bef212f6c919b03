// Package estimate computes what a service on Plaza costs in a month, and how hot its
// hottest keys get, from what its users do.
//
// The model knows each call's cost as a formula of the data that it meets: how many
// followers there are, how full a page is. Its tests hold it to the stated costs in
// docs/costs.md, and compare it with a simulated day, metered on DynamoDB Local.
package estimate
