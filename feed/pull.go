package feed

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// pull is pull#edge#source of a home's header: the home reads the source's outbox,
// as though the edge had brought its activities. Two edges may have one ID, which
// their caller chose, so the name has the source too.
type pull struct {
	Source string `dynamo:"-"`
	Since  ids.ID `dynamo:"since,omitempty"` // the lowest id that it reads
	Until  ids.ID `dynamo:"until,omitempty"` // the lowest id that it no longer reads; 0 is no bound
	Kept   bool   `dynamo:"kept,omitempty"`  // the edge ended with KeepHistory: no switch changes the pull
	At     ids.ID `dynamo:"at"`              // the switch or the unfollow that wrote it last
}

const (
	pullPrefix = "pull#"
	nothing    = ids.ID(1) // the Until of a pull without a range
)

func pullName(edge ids.ID, source string) string { return keys.Join("pull", edge.String(), source) }

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

// empty reports whether nothing can lie in the range of the pull.
func (p pull) empty(lowest ids.ID) bool { return p.Until != 0 && p.Until <= max(p.Since, lowest) }

// edgePull is a pull with the edge that it is named after.
type edgePull struct {
	edge ids.ID
	pull
}

// pulls returns what the home reads of outboxes down to the id lowest, in any order.
// It leaves out the pulls that an unfollow has ended and those without a range. A
// damaged one is reported and left out.
func (h *header) pulls(lowest ids.ID) []edgePull {
	active := make([]edgePull, 0, len(h.item)) // most attributes are usually active pulls
	for name, value := range h.item {
		edge, source, ok := parsePullName(name)
		if !ok || h.ended(source, edge) {
			continue
		}
		p, err := h.decodePull(name, source, value)
		if !h.table.Skips(err) && !p.empty(lowest) {
			active = append(active, edgePull{edge, p})
		}
	}
	return active
}

// pull returns the pull of the edge, if there is one. A damaged one is a
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
	err := unmarshalPart(value, &p)
	if err == nil {
		err = keys.CheckID("at", p.At)
	}
	if err != nil {
		return pull{}, h.damaged(name, err)
	}
	return p, nil
}
