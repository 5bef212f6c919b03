// Package stream brings the changes of a DynamoDB table to boards, buses, queues
// and archives.
//
// A stream's records come as a Lambda event (Decode), from the SDK (FromSDK), or
// over a bus in a JSON form of their own (Encode, DecodeEvent). All are read
// strictly, and the table's stream must carry both images of an item.
//
// A Processor hands them to a Batch. Each makes a Batch of a Handler; To makes
// one that sends an event for each record to a Sink. A record that fails is tried
// again, and becomes a dead letter if it keeps failing:
//
//	dead, err := letters.New(db, "dead", "board", nil)
//	…
//	p, err := stream.NewProcessor(stream.Each(handle, 8), dead, nil)
//	…
//	lambda.Start(p.Lambda)
//
// Without Lambda, package stream/poller reads the stream.
//
// Records are handled at least once, and those of one item in their order. Work
// stops at the first record that was neither handled nor made a dead letter, and
// continues there later. So a handler must expect repeats, and dead letters that
// are redriven after newer changes. Let it compare a version that the item holds,
// and keep the versions of deleted items.
//
// Redrive gives dead letters to a Batch again, once the cause is fixed. They come
// from a table of stream/letters, from a queue, or from AWS's own failure documents
// (ParseFailure).
package stream
