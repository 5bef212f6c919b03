package message

// row is what a user has of a conversation. A message above From, and up to Till where
// the user has left, is the user's to read.
type row struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	Last    string  `dynamo:"last,omitempty"` // its place in the inbox: the ID of the last message
	LastSeq int64   `dynamo:"lastSeq"`
	Read    int64   `dynamo:"read"`              // read up to here
	Own     []int64 `dynamo:"own,set,omitempty"` // own messages above Read
	From    int64   `dynamo:"from,omitempty"`    // the number of messages when the user joined, or cleared the history
	Till    *int64  `dynamo:"till,omitempty"`    // the number of messages when the user left
}

// unread is how many messages of others the user has not read.
func (w row) unread() int64 {
	above := max(w.Read, w.From)
	n := w.LastSeq - above
	for _, seq := range w.Own {
		if seq > above && seq <= w.LastSeq {
			n--
		}
	}
	return max(0, n)
}
