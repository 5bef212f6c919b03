package store

import (
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Guard makes the writes of a Change. They are refused once another call has changed or
// noted the part.
type Guard struct {
	table    *Table
	key      Key
	part     string
	call, op ids.ID
	creates  bool

	// The item as it was read.
	seen, absent bool
	last         Last
}

// Op orders the calls of the part: it is greater than that of each call before.
func (g Guard) Op() ids.ID { return g.op }

// Update starts a change of the item.
func (g Guard) Update() *Update {
	u := g.update(Mark{g.op, g.call})
	switch {
	case !g.seen:
		u.SetExpr("$ = if_not_exists($, ?)", g.part+before, g.part, Mark{})
	case !g.last.IsZero():
		u.Set(g.part+before, g.last.Mark)
	}
	return u
}

// Put starts the write of the whole item, which the change has read.
func (g Guard) Put(item any) *Put {
	p := g.table.Put(item).Set(g.part, Mark{g.op, g.call})
	if !g.last.IsZero() {
		p.Set(g.part+before, g.last.Mark)
	}
	condition, args := g.condition()
	if p.If(condition, args...); !g.creates {
		p.If("attribute_exists(pk)")
	}
	return p
}

// note changes nothing but the order of calls. To an item that it creates it adds absent.
func (g Guard) note(absent func(*Update)) *Update {
	u := g.update(Mark{g.op, g.last.Call})
	if g.absent {
		absent(u)
	}
	return u
}

func (g Guard) update(m Mark) *Update {
	condition, args := g.condition()
	u := g.table.Update(g.key).Set(g.part, m).If(condition, args...)
	if !g.creates {
		u.If("attribute_exists(pk)")
	}
	return u
}

// condition is that no other call came since the item was read or, if it was not, that no
// later one came.
func (g Guard) condition() (condition string, args []any) {
	switch {
	case !g.seen:
		return "attribute_not_exists($) OR $ < ?", []any{g.part, g.part, g.op}
	case g.last.IsZero():
		return "attribute_not_exists($)", []any{g.part}
	}
	return "$ = ?", []any{g.part, g.last.Mark}
}

// passes reports whether the condition holds for what an item remembers.
func (g Guard) passes(met Last) bool {
	if !g.seen {
		return met.Op < g.op
	}
	return met.Mark == g.last.Mark
}

// see makes the next write follow the calls that the item remembers.
func (g *Guard) see(last Last) error {
	g.last, g.seen = last, true
	if g.op > last.Op {
		return nil
	}
	if g.op = keys.After(g.call, last.Op); g.op == last.Op {
		return g.table.Corrupt(g.key, "no id is later than its "+g.part)
	}
	return nil
}

// excludes reports whether a request that was sent cannot have been applied, by what the
// item remembers now.
func (g Guard) excludes(met Last) bool {
	switch {
	case g.begunAgain(met):
		return false
	case met.Op < g.op, met.Call == g.last.Call:
		return true
	case met.Before.IsZero(): // perhaps of a first Mark
		return g.seen && g.last.IsZero()
	}
	return met.Before.Op < g.op || met.Before.Call == g.last.Call
}

// begunAgain reports whether the item may be in another life than when a request was sent.
func (g Guard) begunAgain(met Last) bool {
	if !g.seen {
		return met.Life > g.call
	}
	return met.Life != g.last.Life || met.Op < g.last.Op ||
		!g.last.IsZero() && met.Call != g.last.Call && met.Before.IsZero()
}
