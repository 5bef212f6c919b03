// Package meter counts what calls to DynamoDB cost: requests, units and dollars, by
// Plaza's operation.
//
//	costs := meter.New()
//	costs.Attach(&cfg)
//	db := dynamo.New(cfg)
//	...
//	for operation, cost := range costs.ByOperation() {
//		fmt.Println(operation, cost, cost.Dollars(meter.USEast1()))
//	}
//
// Each attempt to send a request counts as a request, including the SDK's retries. The
// units are those that DynamoDB reports. They include global indexes.
//
// DynamoDB bills refused conditions and cancelled transactions too, and does not report
// their units. After a refused condition they are exact if the request asked for the item
// that was there, as Plaza's requests do. Otherwise they are estimated from the larger of
// the item that the refusal returned and the one in the request, with at least one unit
// an item.
//
// A request without an answer counts without units, although DynamoDB may have billed it.
// The units of PartiQL are not counted, nor are streams, backups and storage.
//
// Engines on a developer's machine do not report the units that AWS bills. Only clients of
// package plazatest get corrected units.
package meter
