package cursor

// Codec writes positions as cursors and reads them back. It is safe for
// concurrent use.
type Codec interface {
	// Encode returns the cursor of pos, of up to 3,000 bytes. Decode may refuse
	// the cursor of a longer one.
	Encode(scope Scope, pos []byte) Cursor

	// Decode returns the position of a cursor that Encode made for this scope.
	// Every other cursor is ErrInvalid, the empty one too.
	Decode(scope Scope, c Cursor) (pos []byte, err error)
}
