package live

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// maxActors is how many users and rooms the rates remember.
const maxActors = 1 << 16

// rates keeps, for the users and rooms that acted lately, the time until which their
// events use up the rate.
type rates struct {
	user, room ratelimit.Rate

	mu   sync.Mutex
	paid *simplelru.LRU[actor, time.Time]
}

// actor is a user in a room or, without a user, the room.
type actor struct{ room, user string }

func newRates(user, room ratelimit.Rate) (*rates, error) {
	if err := setRate("Options.UserRate", &user); err != nil {
		return nil, err
	}
	if err := setRate("Options.RoomRate", &room); err != nil {
		return nil, err
	}
	paid, err := simplelru.NewLRU[actor, time.Time](maxActors, nil)
	return &rates{user: user, room: room, paid: paid}, err
}

// take counts one event for the user and the room, or for neither if it is over a rate.
// It remembers valid names only.
func (r *rates) take(room, user string) error {
	if err := keys.CheckName("Object", room); err != nil {
		return err
	}
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	byUser, byRoom := actor{room, user}, actor{room, ""}
	userPaid, userWait := r.next(byUser, r.user, now)
	roomPaid, roomWait := r.next(byRoom, r.room, now)
	if wait := max(userWait, roomWait); wait > 0 {
		return &ratelimit.Error{Wait: wait}
	}
	if r.room.Every > 0 {
		r.paid.Add(byRoom, roomPaid)
	}
	if r.user.Every > 0 {
		r.paid.Add(byUser, userPaid)
	}
	return nil
}

// refund uncounts the event if err says that it was invalid.
func (r *rates) refund(room, user string, err error) {
	if !errors.Is(err, plaza.ErrInvalid) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(actor{room, user}, r.user)
	r.giveBack(actor{room, ""}, r.room)
}

func (r *rates) giveBack(a actor, rate ratelimit.Rate) {
	if paid, ok := r.paid.Get(a); ok {
		r.paid.Add(a, paid.Add(-rate.Every))
	}
}

// next returns the time until which one more event uses up the rate, and how long to wait
// before it.
func (r *rates) next(a actor, rate ratelimit.Rate, now time.Time) (paid time.Time, wait time.Duration) {
	paid = now
	if rate.Every == 0 {
		return paid, 0
	}
	if until, ok := r.paid.Get(a); ok && until.After(now) {
		paid = until
	}
	paid = paid.Add(rate.Every)
	return paid, paid.Sub(now) - rate.Every*time.Duration(rate.Burst)
}

func setRate(field string, r *ratelimit.Rate) error {
	if *r == (ratelimit.Rate{}) {
		return nil
	}
	return cmp.Or(
		args.DefaultAtLeast(field, &r.Every, time.Second, 0),
		args.DefaultAtLeast(field, &r.Burst, 5, 0),
	)
}
