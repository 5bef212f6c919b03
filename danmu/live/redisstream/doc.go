// Package redisstream is a live.Backplane on Redis Streams: each room is a
// stream, and a position in it is the id of an entry. Unlike what Redis
// publishes to channels, what was added while a connection was down is still
// there when the next one asks.
//
// It needs Redis 6.2 or later, or Valkey. Where a server has lost entries, by a
// restart, a failover or because it evicts keys, the rooms are reset: at once
// where something happens, else within some seconds.
package redisstream
