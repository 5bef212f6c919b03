package notify

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Policy decides whether a notification reaches its user, and on which channels. *prefs.Repository
// is one. It may decide differently about a repeat.
type Policy interface {
	Decide(context.Context, Notification) (Decision, error)
}

// Decision is a Policy's answer. With the zero Decision, the event goes to the list and to no
// further channel.
type Decision struct {
	Drop     bool
	Channels []string // further channels for the event, such as "email"
}

// Scheduler plans a message on further channels, such as a daily summary. Schedule is called
// before the event is stored, so the event may not be stored in the end. The event's id will be
// at least at and less than until: if the next id is not, Schedule is called again. An error of
// Schedule fails the call.
type Scheduler interface {
	Schedule(ctx context.Context, user string, channels []string, at ids.ID) (until ids.ID, err error)
}

// decide asks the Policy.
func (r *Repository) decide(ctx context.Context, n Notification) (Decision, error) {
	if r.opts.Policy == nil {
		return Decision{}, nil
	}
	d, err := r.opts.Policy.Decide(ctx, n)
	d.Drop = d.Drop && !n.Critical
	return d, err
}

// mint makes a write id above another, which a faster clock may have made.
func (r *Repository) mint(ctx context.Context, above ids.ID) (ids.ID, error) {
	id, err := r.gen.Next(ctx)
	if err == nil && id <= above {
		id = keys.After(id, above)
	}
	return id, err
}

// maxMints bounds the ids for which a planned message is not early enough.
const maxMints = 20

// planned returns a mint of ids for which the Scheduler has planned a message. It asks with
// an earlier id: a slow answer would make the write of that id late.
func (r *Repository) planned(user string, channels []string) group.Mint {
	until := ids.ID(0)
	return func(ctx context.Context, above ids.ID) (ids.ID, error) {
		for range maxMints {
			id, err := r.mint(ctx, above)
			if err != nil || id < until {
				return id, err
			}
			if until, err = r.opts.Scheduler.Schedule(ctx, user, channels, id); err != nil {
				return 0, err
			}
		}
		return 0, plaza.ErrBusy
	}
}
