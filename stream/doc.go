// Package stream brings the changes of a DynamoDB table to boards, buses, queues
// and archives: decode, process, poll, deliver, dead letters.
package stream
