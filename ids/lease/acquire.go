package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

const machines = 1 << 14

// Options of Acquire and NewSource.
type Options struct {
	// Duration is how long a machine number stays taken after its holder's last
	// renewal. Processes whose clocks differ by more than half of it take each
	// other's numbers. At least 1 s; defaults to 1 min.
	Duration time.Duration

	// Renew is how often the number is renewed in the background. Must be below
	// Duration. If negative, only Next renews the number, as Lambda needs.
	// Defaults to a third of Duration.
	Renew time.Duration

	// First is the lowest number to lease; lower ones are left to ids.New.
	// Defaults to 0.
	First uint16

	// Tries is how many numbers to try at most. Defaults to 16.
	Tries int

	// Now is the clock of leases and ids. Defaults to time.Now.
	Now func() time.Time

	// TrustClock makes ids although this process's clock is more than 5 s from
	// DynamoDB's. Then a wrong clock hides what others write, ends what others still
	// use, and puts ids in the wrong order. It is set if Now is given.
	TrustClock bool

	// Rand picks the holder's name and the first number to try. It must never
	// repeat itself. Defaults to crypto/rand.Reader.
	Rand io.Reader

	// OnCorrupt is called with each damaged item; its number is skipped.
	// Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	source func(machine uint16) (ids.Source, error)
}

func (o *Options) withDefaults() (Options, error) {
	v := args.Given(o)
	if v.Now != nil {
		v.TrustClock = true
	} else {
		v.Now = time.Now
	}
	v.Rand = cmp.Or(v.Rand, rand.Reader)
	if v.source == nil {
		now := v.Now
		v.source = func(machine uint16) (ids.Source, error) { return ids.New(machine, &ids.Options{Now: now}) }
	}
	v.Duration = cmp.Or(v.Duration, time.Minute)
	v.Renew = cmp.Or(v.Renew, v.Duration/3)
	err := cmp.Or(
		args.AtLeast("Duration", v.Duration, time.Second),
		args.AtMost("First", v.First, machines-1),
		args.DefaultAtLeast("Tries", &v.Tries, 16, 0),
	)
	if err == nil && v.Renew >= v.Duration {
		err = &plaza.InvalidError{Field: "Renew", Reason: "is not below Duration"}
	}
	return v, err
}

// Acquire takes a free machine number. It starts at a random one and counts up.
// If all numbers that it tried are taken it returns plaza.ErrBusy, if all their items
// are damaged plaza.ErrCorrupt, and with a wrong clock a *plaza.ClockError. After any
// other error a number may stay taken until it expires.
//
// Cost: 1 request, 1 WCU; a number that was used before 2 requests, 2 WCU;
// each number that is skipped 1 request, 1 WCU more.
//
//plaza:cost an unused number: 1 request, 1 WCU
//plaza:cost a number that was used before: 2 requests, 2 WCU
//plaza:cost each number that is skipped, more: 1 request, 1 WCU
func Acquire(ctx context.Context, db *dynamo.DB, table string, opts *Options) (*Lease, error) {
	ctx = plaza.WithOperation(ctx, "ids/lease.Acquire")
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	t, err := store.Open(db, table, o.OnCorrupt, o.TrustClock)
	if err != nil {
		return nil, err
	}
	return acquire(ctx, t.Dated(), o)
}

func acquire(ctx context.Context, t *store.Table, o Options) (*Lease, error) {
	if err := t.CheckClock(ctx); err != nil {
		return nil, fmt.Errorf("lease: acquire: %w", err)
	}
	var random [18]byte
	if _, err := io.ReadFull(o.Rand, random[:]); err != nil {
		return nil, fmt.Errorf("lease: random source: %w", err)
	}
	owner := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random[:16])
	count := machines - int(o.First)
	start := int(binary.BigEndian.Uint16(random[16:]))

	var none error
	for i := range min(o.Tries, count) {
		machine := o.First + uint16((start+i)%count)
		held, after, err := take(ctx, t, machine, owner, o)
		switch {
		case t.Skips(err):
			none = cmp.Or(none, err)
		case err != nil:
			return nil, fmt.Errorf("lease: acquire: %w", err)
		case held != nil:
			l, err := begin(t, machine, held, after, o)
			if err != nil {
				return nil, err
			}
			if err := t.CheckClock(ctx); err != nil {
				return nil, errors.Join(fmt.Errorf("lease: acquire: %w", err), l.Close(ctx))
			}
			return l, nil
		default:
			none = plaza.ErrBusy
		}
	}
	return nil, fmt.Errorf("lease: acquire: no machine number is free: %w", none)
}

// take returns the item that it wrote and the time of the last id that others may
// have made. It returns no item if the number is taken.
func take(ctx context.Context, t *store.Table, machine uint16, owner string, o Options) (*item, int64, error) {
	key := keyOf(machine)
	var old item // the item that must still be stored; with Gen 0, none may be
	for range 2 {
		now := o.Now()
		held := &item{
			PK:    key.PK,
			SK:    key.SK,
			Owner: owner,
			Gen:   old.Gen + 1,
			Until: now.Add(o.Duration).UnixMilli(),
		}
		found, err := place(ctx, t, held, old)
		switch {
		case err != nil:
			return nil, 0, err
		case found == nil:
			return held, old.Until, nil
		case found.Owner == owner: // this call wrote it, but the answer was lost
			return found, old.Until, nil
		case found.Until > now.UnixMilli():
			return nil, 0, nil
		}
		if err := t.CheckClock(ctx); err != nil { // by a right clock it has expired
			return nil, 0, err
		}
		old = *found
	}
	return nil, 0, nil // another took it first
}

// place writes held if old is still stored, and otherwise returns the stored item.
// Without an answer it tries once more. The owner then shows whether the first try was
// applied.
func place(ctx context.Context, t *store.Table, held *item, old item) (*item, error) {
	write := func() error {
		put := t.Put(held)
		if old.Gen == 0 {
			put.If("attribute_not_exists(pk)")
		} else {
			// Gen and Until alone: the old holder may have given it back since.
			put.If("gen = ? AND 'until' = ?", old.Gen, old.Until)
		}
		return t.Run(ctx, put)
	}
	err := write()
	if errors.Is(err, plaza.ErrUnknownOutcome) {
		if found, again := refusedBy(t, write()); again == nil {
			return found, nil
		}
	}
	return refusedBy(t, err)
}

// refusedBy returns the item that a refused write found.
func refusedBy(t *store.Table, err error) (*item, error) {
	refused, ok := store.AsRefused(err)
	if !ok {
		return nil, err
	}
	found := new(item)
	raw, _ := refused.At(0)
	if raw == nil {
		return found, nil
	}
	return found, t.Decode(raw, found)
}
