package cursor

const (
	DefaultLimit = 25  // the limit where PageRequest.Limit is 0
	MaxLimit     = 100 // the highest limit, unless a list states another
)

// Cursor is an opaque place in one list. The empty Cursor is the start of a list
// in a request, and its end in Page.Next.
type Cursor string

// PageRequest asks for one page of a list.
type PageRequest struct {
	Cursor Cursor // Defaults to the start of the list.
	Limit  int    // Defaults to DefaultLimit. More than MaxLimit means MaxLimit; a negative one is an error.
}

// Page is a part of a list, in list order. It may be short or empty before the
// end. Only an empty Next is the end.
type Page[T any] struct {
	Items []T    `json:"items"`          // Not nil unless there is an error.
	Next  Cursor `json:"next,omitempty"` // Continues in list order.
	Prev  Cursor `json:"prev,omitempty"` // Goes back; set wherever there are items.
}
