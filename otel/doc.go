// Package otel sends traces and metrics of Plaza by OpenTelemetry. A service adds it by two
// lines, and a Grafana board by importing grafana.json:
//
//	o, err := otel.New(nil) // with the global providers
//	o.Attach(&cfg)          // before dynamo.New(cfg)
//
// and gives its methods to the options that report attempts and damage:
//
//	kit.Options{OnAttempt: o.Attempt, OnCorrupt: o.Corrupt}
//	feed.Options{OnAttempt: o.Feed, OnCorrupt: o.Corrupt} // without a kit
//
// # Traces
//
// Each call of the SDK is a span with its retries, such as "Query feed.Home.List", below the
// span of ctx. Each attempt that failed is an event of it. Attributes: db.system.name,
// db.operation.name, db.collection.name, plaza.operation, plaza.attempts, plaza.units.read,
// plaza.units.write; where it failed error.type, and db.response.status_code where a
// condition did not hold, which is no error. A call of Plaza has no span of its own, since
// nothing says when it ends: begin one around it where that matters. plaza.WithOperation
// names the requests of several calls alike.
//
// # Metrics
//
//	db.client.operation.duration  s          of the SDK's calls, with their retries
//	plaza.requests                {request}  attempts at requests
//	plaza.units                   {unit}     capacity units, plaza.units.kind read or write
//	plaza.dollars                 {USD}      what the units cost at Options.Prices
//	plaza.unprocessed             {item}     items of a batch that DynamoDB left out: throttling
//	plaza.attempts                {attempt}  of workers: plaza.result done, partial, failed or given_up
//	plaza.lag                     s          from when work was due until a worker finished it
//	plaza.damaged                 {item}     damaged items that answers left out
//
// The first five have plaza.operation, db.operation.name and db.collection.name, and the
// first two have an error.type if they failed: a code of DynamoDB's, for a cancelled
// transaction that of its first reason, or canceled, timeout, unsent or no_answer. The two of
// workers have plaza.worker. The error.type of an attempt is the error of package plaza, such
// as busy. No attribute has a user, an id or a key. Names that you give to
// plaza.WithOperation and to workers become attributes: let them be few.
//
// Units are those of package meter, and so have the same limits.
package otel
