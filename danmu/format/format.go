package format

import (
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// Format is a format of danmu files.
type Format string

const (
	Bilibili   Format = "bilibili"   // XML, 8 or 9 fields
	DPlayer    Format = "dplayer"    // JSON
	ArtPlayer  Format = "artplayer"  // JSON
	Dandanplay Format = "dandanplay" // JSON
	Niconico   Format = "niconico"   // JSON, v1 or within threads

	// NiconicoXML is the XML of Niconico's packets: <packet>, or chats without a root, as
	// in archives of live comments.
	NiconicoXML Format = "niconicoxml"

	NDJSON Format = "ndjson" // Plaza's own, with all fields of a Comment
)

// ErrBroken is the last error of a file that ends early or is not in its format.
// The comments before it are complete. NDJSON is never broken: a line that is cut
// is a RecordError. A cut between its lines, or in a packet without a root, cannot be
// noticed. ErrBroken is danmu.ErrBroken, and unwraps to plaza.ErrInvalid.
var ErrBroken = danmu.ErrBroken

// RecordError is a comment, or a Tag, that was refused. Reading continues after
// it. It unwraps to plaza.ErrInvalid.
type RecordError struct {
	Record int64 // 1 is the file's first
	Offset int64 // where it begins, in bytes
	Err    error
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("danmu/format: record %d at byte %d: %v", e.Record, e.Offset, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// Tag is data of a file beside its comments: an element of XML, such as chatid or
// thread, or a member of the object around the array of DPlayer and dandanplay.
type Tag struct {
	Name string

	// Attributes of an element, and the Value as XML or JSON, as the file has them.
	Attributes, Value string
}

// codec reads and writes the files of a format.
type codec interface {
	read(r *Reader) error // ErrBroken, errStopped or the io.Reader's error
	checkTags(tags []Tag) error
	begin(dst []byte, tags []Tag) []byte
	append(dst []byte, c danmu.Comment, first bool) ([]byte, error)
	end(dst []byte, written int64) []byte
}

func (f Format) codec() (codec, error) {
	switch f {
	case Bilibili:
		return xmlFile{root: "i", record: "d", parse: parseBilibili, assemble: assembleBilibili}, nil
	case DPlayer:
		return array{member: "data", before: []Tag{{Name: "code", Value: "0"}}, parse: parseDPlayer, assemble: assembleDPlayer}, nil
	case ArtPlayer:
		return array{parse: parseArtPlayer, assemble: assembleArtPlayer}, nil
	case Dandanplay:
		return array{member: "comments", count: "count", parse: parseDandanplay, assemble: assembleDandanplay}, nil
	case Niconico:
		return array{threads: true, parse: parseNiconico, assemble: assembleNiconico}, nil
	case NiconicoXML:
		return xmlFile{root: "packet", record: "chat", rootless: true, parse: parseNiconicoXML, assemble: assembleNiconicoXML}, nil
	case NDJSON:
		return ndjson{}, nil
	}
	return nil, refuse("Format", "is unknown")
}

func ended() error { return broken("it ends early") }

func broken(reason string) error { return fmt.Errorf("%w: %s", ErrBroken, reason) }

func refuse(field, reason string) error {
	return &plaza.InvalidError{Field: field, Reason: reason}
}
