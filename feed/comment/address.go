package comment

import (
	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Address is where a comment lies: on Object, in the thread of Root, which is
// zero for flow comments and roots.
type Address struct {
	Object string `json:"object"`
	Root   ids.ID `json:"root,omitzero"`
	ID     ids.ID `json:"id"`
}

// check puts the prefix before the names of fields.
func (at Address) check(prefix string) error {
	if err := keys.CheckName(prefix+"Object", at.Object); err != nil {
		return err
	}
	if at.Root != 0 {
		if err := keys.CheckID(prefix+"Root", at.Root); err != nil {
			return err
		}
	}
	return keys.CheckID(prefix+"ID", at.ID)
}

// checkRoot also refuses replies.
func (at Address) checkRoot() error {
	if at.Root != 0 {
		return &plaza.InvalidError{Field: "Root", Reason: "is set, but only comments of the object's own list are allowed"}
	}
	return at.check("")
}

// root is the address of a reply's root.
func (at Address) root() Address { return Address{Object: at.Object, ID: at.Root} }

// key is the key of a root or flow comment, or of a reply among the first or the
// rest of its thread.
func (at Address) key(rest bool) store.Key {
	switch {
	case at.Root == 0:
		return store.Key{PK: objectPK(at.Object), SK: at.ID.String()}
	case rest:
		return store.Key{PK: restPK(at.root()), SK: at.ID.String()}
	}
	return store.Key{PK: firstPK(at.Object), SK: keys.Join(at.Root.String(), at.ID.String())}
}

// keys are the keys that the comment can have, and its root's key.
func (at Address) keys() []store.Key {
	if at.Root == 0 {
		return []store.Key{at.key(false)}
	}
	return []store.Key{at.key(false), at.key(true), at.root().key(false)}
}

// The first parts of the keys of rows and headers.
const (
	ownRows     = "T" // of the object's own list
	firstPlaces = "F" // the first replies of its threads
	restRows    = "R" // the rest of a thread
	headers     = "N"
)

func objectPK(object string) string { return keys.Join(ownRows, object) }

func firstPK(object string) string { return keys.Join(firstPlaces, object) }

func restPK(root Address) string { return keys.Join(restRows, root.Object, root.ID.String()) }
