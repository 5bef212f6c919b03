package changetest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestMain(m *testing.M) { faults.Main(m) }

// lamp is an item that is on or off. Since is the call that made it.
type lamp struct {
	PK           string     `dynamo:"pk"`
	SK           string     `dynamo:"sk"`
	Since        ids.ID     `dynamo:"since,omitempty"`
	On           bool       `dynamo:"on,omitempty"`
	Marked       bool       `dynamo:"marked,omitempty"` // its life begins with a Mark
	Broken       bool       `dynamo:"broken,omitempty"` // it remembers no call
	Change       store.Mark `dynamo:"change,omitempty"`
	ChangeBefore store.Mark `dynamo:"changeBefore,omitempty"`
}

func (l *lamp) last() store.Last {
	last := store.Last{Mark: l.Change, Before: l.ChangeBefore}
	if !l.Marked {
		last.Life = l.Since
	}
	return last
}

type lamps struct {
	table *store.Table
	*Process
}

func lampKey(name string) store.Key { return store.Key{PK: name, SK: "lamp"} }

// ways are those in which a feature may make a change.
var ways = map[string]func(l lamps, c *store.Change[lamp], on bool){
	"an update": func(_ lamps, c *store.Change[lamp], on bool) {
		c.Next = func(seen *lamp, g store.Guard) (store.Write, error) {
			switch {
			case seen.Broken:
				return nil, plaza.ErrRemoved
			case seen.On == on:
				return nil, store.ErrSame
			}
			return g.Update().Set("on", on).If("since = ? AND attribute_not_exists(broken)", seen.Since), nil
		}
	},
	"an update without a read": func(_ lamps, c *store.Change[lamp], on bool) {
		c.Unread = true
		c.Next = func(seen *lamp, g store.Guard) (store.Write, error) {
			if seen != nil && seen.On == on {
				return nil, store.ErrSame
			}
			otherwise := "'on' = ?"
			if on {
				otherwise = "'on' <> ?" // or absent
			}
			return g.Update().Set("on", on).If(otherwise, true), nil
		}
	},
	"a put": func(_ lamps, c *store.Change[lamp], on bool) {
		c.Next = func(seen *lamp, g store.Guard) (store.Write, error) {
			if seen.On == on {
				return nil, store.ErrSame
			}
			next := *seen
			next.On = on
			return g.Put(next).If("since = ?", seen.Since), nil
		}
	},
	"a transaction": func(l lamps, c *store.Change[lamp], on bool) {
		c.Read = func(ctx context.Context) (found lamp, err error) { return found, l.table.Get(ctx, c.Key, true, &found) }
		c.Next = func(seen *lamp, g store.Guard) (store.Write, error) {
			if seen.On == on {
				return nil, store.ErrSame
			}
			other := c.Key
			other.SK = "switch"
			return l.table.Tx().Update(g.Update().Set("on", on).If("since = ?", seen.Since)).Put(l.table.PutAt(other).Set("on", on)), nil
		}
	},
	"a creation": func(_ lamps, c *store.Change[lamp], on bool) {
		c.Absent = func(note *store.Update) { note.Set("ttl", 1<<40) }
		c.Next = func(seen *lamp, g store.Guard) (store.Write, error) {
			if seen.On == on {
				return nil, store.ErrSame
			}
			return g.Update().Set("on", on).Remove("ttl"), nil
		}
	},
}

func TestAChangeHappensOnce(t *testing.T) {
	t.Parallel()
	f := Feature[lamps]{Table: dynamotest.Table(t, store.Schema), Calls: map[string]Call[lamps]{}}
	f.Open = func(t testing.TB, p *Process) lamps {
		table, err := store.Open(dynamotest.DB(t, p.Wrap), f.Table, nil, true)
		require.NoError(t, err)
		return lamps{table, p}
	}
	for way, makes := range ways {
		turns := func(on bool) func(context.Context, lamps, string) (bool, error) {
			return func(ctx context.Context, l lamps, name string) (bool, error) {
				call, _ := l.Next(ctx)
				c := store.Change[lamp]{Key: lampKey(name), Call: call, Part: "change", Last: (*lamp).last}
				makes(l, &c, on)
				_, changed, err := c.Run(ctx, l.table)
				return changed, err
			}
		}
		call := Call[lamps]{
			Part: "change", Unread: way == "an update without a read", Item: lampKey, Do: turns(true), Undo: turns(false),
			State: func(ctx context.Context, l lamps, name string) (any, error) {
				var found lamp
				err := l.table.Get(ctx, lampKey(name), true, &found)
				if errors.Is(err, plaza.ErrNotFound) {
					err = nil
				}
				return found.On, err
			},
			Erase: func(ctx context.Context, l lamps, name string) error {
				if way == "an update" { // the life goes on, but nothing remembers a call
					broken := l.table.Update(lampKey(name)).Set("broken", true).Remove("on", "change", "changeBefore")
					return l.table.Run(ctx, broken)
				}
				return l.table.Run(ctx, l.table.Delete(lampKey(name)))
			},
		}
		if way != "a creation" {
			call.Begin = func(ctx context.Context, l lamps, name string) error {
				made, _ := l.Next(ctx)
				begun := lamp{PK: name, SK: "lamp", Since: made}
				if way == "an update without a read" { // what names its life is the first Mark
					begun.Change, begun.Marked = store.Mark{Op: made, Call: made}, true
				}
				return l.table.Run(ctx, l.table.Put(begun))
			}
		}
		f.Calls[way] = call
	}
	run(t, f)
}
