// Package cursor is how every list of Plaza is paged.
//
// A list runs in the order of its sort positions, newest first unless it says
// otherwise. A Cursor is a gap between two of these positions plus a
// direction: down reads what lies below the gap, up what lies above it,
// nearest first, and both give their page in list order. It names no item, so
// deleting one breaks no cursor, and what is written at the front while
// somebody pages down neither shows nor disturbs.
//
// Page.Next goes on in list order. It is empty at the end, and that is the
// only sign of it: a page may be short or empty before. Page.Prev goes back,
// from the first page towards what is newer. It is set on every page that has
// items, and a page up that finds nothing repeats its gap, so a client polls
// for news with it.
//
// PageRequest.Limit is the most items a page may have: zero is DefaultLimit,
// more than MaxLimit is MaxLimit, negative is refused.
//
// A position never holds the partition key, which a list rebuilds from its
// call, and a Codec binds each cursor to the Scope of its list. Plain is for
// positions that are no secret. Sealed encrypts them.
package cursor
