package comment

import (
	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// At is where a comment lies: under Object, in the thread of Root, which is
// zero for flow comments and roots.
type At struct {
	Object   string
	Root, ID ids.ID
}

// check names the fields after the prefix.
func (at At) check(prefix string) error {
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

// checkRoot refuses replies too.
func (at At) checkRoot() error {
	if at.Root != 0 {
		return &plaza.InvalidError{Field: "Root", Reason: "is set: this is for comments of the object's own list"}
	}
	return at.check("")
}

// root is where the root of a reply lies.
func (at At) root() At { return At{Object: at.Object, ID: at.Root} }

// key is that of a root or flow comment, or of a reply among the first or the
// rest of its thread.
func (at At) key(rest bool) store.Key {
	switch {
	case at.Root == 0:
		return store.Key{PK: objectPK(at.Object), SK: at.ID.String()}
	case rest:
		return store.Key{PK: restPK(at.root()), SK: at.ID.String()}
	}
	return store.Key{PK: firstPK(at.Object), SK: keys.Join(at.Root.String(), at.ID.String())}
}

// keys are those that the comment can have, and its root's.
func (at At) keys() []store.Key {
	if at.Root == 0 {
		return []store.Key{at.key(false)}
	}
	return []store.Key{at.key(false), at.key(true), at.root().key(false)}
}
