package danmu

// Mode says how a comment moves. The numbers are those of Bilibili's files;
// the zero Mode scrolls. Other numbers are kept as they are.
type Mode int

// Modes that players know.
const (
	Scroll     Mode = 0 // from right to left; 1 in files
	Bottom     Mode = 4
	Top        Mode = 5
	Reverse    Mode = 6 // from left to right
	Positioned Mode = 7 // Text is a JSON array: place, path, duration …
	Code       Mode = 8
	BAS        Mode = 9
)
