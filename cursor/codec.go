package cursor

// Codec writes positions as cursors and reads them back. It is safe for
// concurrent use.
type Codec interface {
	// Encode gives a cursor for pos, which may have up to 3,000 bytes: what
	// is made of more may be refused by Decode.
	Encode(scope Scope, pos []byte) Cursor

	// Decode gives the position of a cursor that Encode made for this scope,
	// else an error that is ErrInvalid. The empty cursor has no position and
	// is refused too.
	Decode(scope Scope, c Cursor) (pos []byte, err error)
}
