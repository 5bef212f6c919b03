package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// encodeActivity is the Data of a group whose newest event is the activity. Its
// recipients are not kept.
func encodeActivity(a feed.Activity) (string, error) {
	a.To = nil
	if a.Time.IsZero() {
		a.Time = a.ID.Time()
	}
	a.Time = a.Time.Round(0).UTC()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it would make Data six times as large
	if err := enc.Encode(a); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func decodeActivity(data string) (a feed.Activity, err error) {
	err = jsontext.Unmarshal([]byte(data), &a)
	return a, err
}

// detail is what an entry keeps of an activity besides its actor: the object, if the group is
// about the target, and the verb, if that is not in the group's name.
func detail(a feed.Activity, named bool) string {
	var object string
	if !a.Target.IsZero() {
		object = objectDetail + a.Object.String()
	}
	if named {
		return object
	}
	return verbDetail + keys.Join(a.Verb, object)
}

const (
	objectDetail = "o"
	verbDetail   = "v"
)

// rebuild makes the Data of an entry's event. The application's own Data is lost,
// unless data is that of the event.
func rebuild(sk string, e group.Entry, data string) (string, error) {
	if newest, err := decodeActivity(data); err == nil && newest.ID == e.ID {
		return data, nil
	}
	about, parts, err := splitGroup(groupOf(sk))
	if err != nil {
		return "", err
	}
	a := feed.Activity{ID: e.ID, Verb: parts[0], Object: about}
	object := e.Detail
	if rest, own := strings.CutPrefix(e.Detail, verbDetail); own {
		kept := keys.Split(rest)
		if len(kept) != 2 {
			return "", errors.New("its entry has no verb")
		}
		a.Verb, object = kept[0], kept[1]
	}
	if a.Actor, err = feed.ParseRef(e.Actor); err != nil {
		return "", fmt.Errorf("actor: %w", err)
	}
	if object, ok := strings.CutPrefix(object, objectDetail); ok {
		a.Target = about
		if err := a.Object.UnmarshalText([]byte(object)); err != nil {
			return "", fmt.Errorf("object: %w", err)
		}
	}
	return encodeActivity(a)
}
