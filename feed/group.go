package feed

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Group is a set of activities of one page that belong together.
type Group struct {
	// Key is the same on every page, so that clients can join groups across pages.
	// It is the key from Options.GroupBy, with a backslash before each '#' and
	// backslash.
	Key string `json:"key"`

	Activities []Activity `json:"activities"` // newest first
	Actors     []Ref      `json:"actors"`     // each once, the latest first

	// More reports whether the page at Next may have more of the group. By
	// default that is so only for groups of the page's last UTC day. It says
	// nothing about the page at Prev.
	More bool `json:"more"`
}

// Grouped is List with each page's activities in groups, the group with the
// latest activity first. Limit counts activities. Cursors of List work here, and
// those of Grouped work in List. If an edit changes an activity's key, pages that
// are read afterwards have it in its new group.
//
// Cost: as List.
func (h Home) Grouped(ctx context.Context, req cursor.PageRequest) (cursor.Page[Group], error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Grouped")
	if err := h.check(); err != nil {
		return cursor.Page[Group]{}, err
	}
	page, err := h.page(ctx, req, h.reading())
	if err != nil {
		return cursor.Page[Group]{}, fmt.Errorf("feed: home of %q: %w", h.reader, err)
	}
	return cursor.Page[Group]{Items: h.r.grouped(page), Next: page.Next, Prev: page.Prev}, nil
}

func (r *Repository) grouped(page cursor.Page[Activity]) []Group {
	groups := make([]Group, 0, len(page.Items))
	places := make(map[string]int, len(page.Items))
	for _, a := range page.Items {
		key, alone := r.groupKey(a)
		place, found := places[key]
		if !found {
			place = len(groups)
			places[key] = place
			last := page.Items[len(page.Items)-1]
			ended := alone || r.opts.GroupBy == nil && day(a) != day(last)
			groups = append(groups, Group{Key: key, More: page.Next != "" && !ended})
		}
		group := &groups[place]
		group.Activities = append(group.Activities, a)
		if !slices.Contains(group.Actors, a.Actor) {
			group.Actors = append(group.Actors, a.Actor)
		}
	}
	return groups
}

// groupKey returns the key of the activity's group. Its three cases return keys
// of one, two and three parts. alone reports that the group has no other
// activity.
func (r *Repository) groupKey(a Activity) (key string, alone bool) {
	if r.opts.GroupBy == nil {
		return keys.Join(a.Verb, cmp.Or(a.Target, a.Object).String(), day(a)), false
	}
	switch key := r.opts.GroupBy(a); {
	case key == "":
		return keys.Join(a.ID.String(), a.Owner), true
	case !utf8.ValidString(key): // different keys would be equal in JSON
		return keys.Join("", hex.EncodeToString([]byte(key))), false
	default:
		return keys.Join(key), false
	}
}

// day is the day of the id, not of Time: lists are in the order of ids, so a day's
// activities are next to each other.
func day(a Activity) string { return a.ID.Time().Format(time.DateOnly) }
