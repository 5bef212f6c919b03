// Package cursor pages every list of Plaza.
//
// A list is in the order of its sort positions, newest first unless it says
// otherwise. A Cursor is a gap between two positions and a direction: down
// reads below the gap, up reads above it, and both return their page in list
// order. A cursor names no item, so deleting an item breaks no cursor. Items
// written at the front while somebody pages down do not show.
//
// Page.Next continues in list order. Only an empty Next is the end: pages
// before it may be short or empty. Page.Prev goes back, and from the first page
// to newer items. It is set on every page that has items. A page up that finds
// nothing repeats its cursor, so a client can poll with it.
//
// A position never holds the partition key, which a list takes from its call. A
// Codec binds each cursor to the Scope of its list. Plain is for positions that
// are not secret. Sealed encrypts them.
package cursor
