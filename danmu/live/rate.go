package live

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// watched is how many users and rooms the rates remember.
const watched = 1 << 16

// rates keeps, for who acted lately, until when what they did is paid for.
type rates struct {
	user, room danmu.Rate

	mu   sync.Mutex
	paid *simplelru.LRU[actor, time.Time]
}

// actor is a user in a room; without a user, the room.
type actor struct{ room, user string }

func newRates(user, room danmu.Rate) (*rates, error) {
	paid, err := simplelru.NewLRU[actor, time.Time](watched, nil)
	return &rates{user: user, room: room, paid: paid}, err
}

// take counts one event, unless it is over a rate: then it counts for none. What
// it remembers are names that can be.
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
		return &danmu.RateError{RetryAfter: wait}
	}
	if r.room.Every > 0 {
		r.paid.Add(byRoom, roomPaid)
	}
	if r.user.Every > 0 {
		r.paid.Add(byUser, userPaid)
	}
	return nil
}

// refused gives the turn back where err is of an event that cannot be.
func (r *rates) refused(room, user string, err error) {
	if !errors.Is(err, plaza.ErrInvalid) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(actor{room, user}, r.user)
	r.giveBack(actor{room, ""}, r.room)
}

func (r *rates) giveBack(a actor, rate danmu.Rate) {
	if paid, ok := r.paid.Get(a); ok {
		r.paid.Add(a, paid.Add(-rate.Every))
	}
}

// next gives until when a pays with one event more, and how long it must wait
// for that.
func (r *rates) next(a actor, rate danmu.Rate, now time.Time) (paid time.Time, wait time.Duration) {
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
