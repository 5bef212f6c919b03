package feed

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// header is H#reader / ~, what all entries of a home have in common.
type header struct {
	// dead holds the follow edges that were ended, each with the id of the
	// unfollow. Their entries are hidden, also those that a late delivery
	// still adds. Every edge is an attribute of its own, because one request
	// can add to a map only where the map exists.
	dead map[ids.ID]ids.ID

	// floor is the lowest id that is shown.
	floor ids.ID
}

func (h *header) hides(entry entryKey) bool {
	return entry.id < h.floor || h.dead[entry.edge] != 0
}

const deadPrefix = "dead#"

func deadName(edge ids.ID) string { return keys.Join("dead", edge.String()) }

func parseHeader(item dynamo.Item) (*header, error) {
	h := &header{dead: map[ids.ID]ids.ID{}}
	if floor := item["floor"]; floor != nil {
		if err := dynamo.Unmarshal(floor, &h.floor); err != nil {
			return nil, err
		}
	}
	for name, value := range item {
		text, ok := strings.CutPrefix(name, deadPrefix)
		if !ok {
			continue
		}
		edge, err := ids.Parse(text)
		if err != nil {
			return nil, err
		}
		var unfollow ids.ID
		if err := dynamo.Unmarshal(value, &unfollow); err != nil {
			return nil, err
		}
		h.dead[edge] = unfollow
	}
	return h, nil
}

// isDead reads whether the edge was ended.
func (h Home) isDead(ctx context.Context, edge ids.ID) (bool, error) {
	var item dynamo.Item
	err := h.r.table.Get(ctx, headerKey(h.reader), true, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	return item[deadName(edge)] != nil, err
}

// bury hides every entry that the edge brought or will bring, and forgets
// edges ended so long ago that none of their entries can be left.
func (h Home) bury(ctx context.Context, edge ids.ID) error {
	unfollow, err := h.r.gen.Next(ctx)
	if err != nil {
		return err
	}
	var item dynamo.Item
	// The last one counts: until then the edge may have brought entries.
	update := h.r.table.Update(headerKey(h.reader)).SetExpr("$ = ?", deadName(edge), unfollow)
	if err := h.r.table.Run(ctx, store.Returning{Update: update, Out: &item}); err != nil {
		return err
	}
	head, err := parseHeader(item)
	if err != nil {
		return err
	}
	horizon := ids.At(h.r.opts.Now().Add(-h.r.opts.Retention - 24*time.Hour))
	old := slices.Collect(maps.Keys(head.dead))
	old = slices.DeleteFunc(old, func(id ids.ID) bool { return id == edge || head.dead[id] >= horizon })
	if len(old) == 0 {
		return nil
	}
	forget := h.r.table.Update(headerKey(h.reader))
	for _, edge := range old[:min(len(old), 100)] {
		forget.RemoveExpr("$", deadName(edge))
	}
	return h.r.table.Run(ctx, forget)
}
