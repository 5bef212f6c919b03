package cursor

const (
	DefaultLimit = 25  // what Limit 0 means
	MaxLimit     = 100 // what a greater Limit means, where a list states no other
)

// Cursor is a place in one list, opaque to whoever holds it. Empty, it starts
// a list as a request and ends one as Page.Next.
type Cursor string

// PageRequest asks for one page of a list.
type PageRequest struct {
	Cursor Cursor // Defaults to the start of the list.
	Limit  int    // Defaults to DefaultLimit; above MaxLimit it is MaxLimit, negative is an error.
}

// Page is a part of a list, in list order. It may be short or empty before
// the end: only an empty Next is the end.
type Page[T any] struct {
	Items []T    `json:"items"` // Never nil beside a nil error.
	Next  Cursor `json:"next"`  // Goes on in list order.
	Prev  Cursor `json:"prev"`  // Goes back; set wherever there are items.
}
