package feed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// pull is the mark pull#edge#source of a home's header: the home reads the
// source's outbox, as though the edge had brought its activities. Two edges may
// have one ID, which their caller chose, so the name has the source too.
type pull struct {
	Source string `dynamo:"-"`
	Since  ids.ID `dynamo:"since,omitempty"` // the lowest id that it reads
	Until  ids.ID `dynamo:"until,omitempty"` // the lowest id that it no longer reads; 0 is no bound
	Kept   bool   `dynamo:"kept,omitempty"`  // the edge ended with KeepHistory: no switch changes the mark
	At     ids.ID `dynamo:"at"`              // the switch or the unfollow that wrote it last
}

const (
	pullPrefix = "pull#"
	nothing    = ids.ID(1) // the Until of a pull without a range
)

func pullName(edge ids.ID, source string) string { return keys.Join("pull", edge.String(), source) }

// edgePull is a pull with the edge that it is named after.
type edgePull struct {
	edge ids.ID
	pull
}

// empty reports whether nothing can lie in the range of the pull.
func (p pull) empty(lowest ids.ID) bool { return p.Until != 0 && p.Until <= max(p.Since, lowest) }

// pulls returns the marks by which the home reads outboxes down to the id
// lowest, in any order. It leaves out those that an unfollow has ended and
// those without a range. A damaged one is reported and left out.
func (h *header) pulls(lowest ids.ID) []edgePull {
	active := make([]edgePull, 0, len(h.item)) // most marks are usually active pulls
	for name, value := range h.item {
		edge, source, ok := parsePullName(name)
		if !ok || h.covers(source, edge) {
			continue
		}
		p, err := h.decodePull(name, source, value)
		if !h.table.Skips(err) && !p.empty(lowest) {
			active = append(active, edgePull{edge, p})
		}
	}
	return active
}

// parsePullName undoes pullName. It reports false for other names.
func parsePullName(name string) (edge ids.ID, source string, ok bool) {
	if !strings.HasPrefix(name, pullPrefix) {
		return 0, "", false
	}
	parts := keys.Split(name)
	if len(parts) != 3 {
		return 0, "", false
	}
	edge, err := ids.Parse(parts[1])
	err = errors.Join(err, keys.CheckID("edge", edge), keys.CheckName("source", parts[2]))
	return edge, parts[2], err == nil && (!strings.Contains(name, `\`) || name == pullName(edge, parts[2]))
}

// pull returns the mark of the edge, if there is one. A damaged one is a
// plaza.CorruptError.
func (h *header) pull(edge ids.ID, source string) (p pull, stands bool, err error) {
	name := pullName(edge, source)
	value := h.item[name]
	if value == nil {
		return pull{}, false, nil
	}
	p, err = h.decodePull(name, source, value)
	return p, true, err
}

func (h *header) decodePull(name, source string, value types.AttributeValue) (pull, error) {
	p := pull{Source: source}
	err := markFields(value, p.attribute)
	if err == nil {
		err = keys.CheckID("at", p.At)
	}
	if err != nil {
		return pull{}, h.table.Corrupt(store.KeyOf(h.item), fmt.Sprintf("%q: %v", name, err))
	}
	return p, nil
}

func (p *pull) attribute(name string) any {
	switch name {
	case "since":
		return &p.Since
	case "until":
		return &p.Until
	case "kept":
		return &p.Kept
	case "at":
		return &p.At
	}
	return nil
}

// errCovered is returned if the home hides what the edge brings.
var errCovered = errors.New("feed: an unfollow has ended the edge")

// addPull makes the home read an outbox by an edge, for a Follow that read the
// source's header at the switch p.At. It changes an earlier mark only if that is
// damaged, and returns the mark that stands.
func (h Home) addPull(ctx context.Context, edge ids.ID, p pull) (stands pull, err error) {
	var damaged any // the stored attribute, if it is no pull
	for range maxTries {
		head, refused, err := h.writeHeader(ctx, h.adding(edge, p, damaged))
		if err != nil {
			return pull{}, err
		}
		stands, found, err := head.pull(edge, p.Source)
		switch {
		case head.covers(p.Source, edge):
			return pull{}, errCovered
		case err != nil:
			damaged = head.item[pullName(edge, p.Source)]
		case refused != nil && found:
			return stands, nil
		}
		if err := h.makeRoom(ctx, head, refused != nil); err != nil || refused == nil {
			return p, err
		}
	}
	return pull{}, plaza.ErrBusy
}

// openPull makes the home read an outbox without an upper bound, for the switch
// p.At. changed reports whether it wrote.
func (h Home) openPull(ctx context.Context, edge ids.ID, p pull) (changed bool, err error) {
	update := h.adding(edge, p, nil)
	for range maxTries {
		head, refused, err := h.writeHeader(ctx, update)
		if err != nil {
			return false, err
		}
		stands, found, err := head.pull(edge, p.Source)
		switch {
		case head.covers(p.Source, edge):
			return false, nil
		case err != nil:
			return false, err
		case refused != nil && found && (stands.Kept || stands.At >= p.At):
			return refused.Doubtful() && stands.At == p.At, nil
		}
		full := refused != nil && (!found || stands.empty(h.lowest(head, h.r.opts.Now())))
		if err := h.makeRoom(ctx, head, full); err != nil || refused == nil {
			return refused == nil, err
		}
		if update = h.adding(edge, p, nil); found {
			update = h.switching(edge, p.Source, p.At).RemoveExpr("$.$", pullName(edge, p.Source), "until")
		}
	}
	return false, plaza.ErrBusy
}

// closePull sets the upper bound of what the home reads by an edge, for the
// switch at. changed reports whether it wrote.
func (h Home) closePull(ctx context.Context, source string, edge, until, at ids.ID) (changed bool, err error) {
	head, refused, err := h.writeHeader(ctx, h.switching(edge, source, at).SetExpr("$.$ = ?", pullName(edge, source), "until", until))
	if err != nil {
		return false, err
	}
	stands, _, err := head.pull(edge, source)
	if err != nil && !head.covers(source, edge) {
		return false, err
	}
	return refused == nil || refused.Doubtful() && stands.At == at, nil
}

// adding writes a mark if there is none and there is room, or replaces a damaged
// one.
func (h Home) adding(edge ids.ID, p pull, damaged any) *store.Update {
	name := pullName(edge, p.Source)
	update := h.r.table.Update(headerKey(h.reader)).SetExpr("$ = ?", name, p).
		If("attribute_not_exists($) AND attribute_not_exists($)", fullAttr, crowdedAttr)
	if damaged != nil {
		update.If("$ = ?", name, damaged)
	} else {
		update.If("attribute_not_exists($)", name)
	}
	h.unlessCovered(update, edge, p.Source)
	return update
}

func (h Home) unlessCovered(update *store.Update, edge ids.ID, source string) {
	name := markName(source)
	update.If("attribute_not_exists($) OR $.$ < ?", name, name, "edge", edge)
}

// switching changes a mark that an earlier switch than at wrote.
func (h Home) switching(edge ids.ID, source string, at ids.ID) *store.Update {
	name := pullName(edge, source)
	return h.r.table.Update(headerKey(h.reader)).SetExpr("$.$ = ?", name, "at", at).
		If("$.$ < ? AND attribute_not_exists($.$)", name, "at", at, name, "kept")
}
