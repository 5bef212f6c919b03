package announce

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// MaxAudiences is the most audiences of a reader.
const MaxAudiences = 100

const (
	readsAtOnce = 8 // audiences that one reader reads
	maxReads    = 4 // requests for one audience, each of twice as many rows as the one before
)

// Live returns the announcements that a reader may see now, newest first: at most MaxLive of each
// audience, none twice. It skips up to 1,400 newer ones that are withdrawn or over. It implements
// notify.Source. If the announcements must be read again and the read fails, Live fails too: a mark
// might cover one that this process does not know.
//
// Cost: none; once in CacheTTL for each audience 1 request, 0.5 RCU for each 4 KB, 12.5
// RCU for 100 announcements of 1 KB.
//
//plaza:cost audiences that were read within CacheTTL: none
//plaza:cost an audience: 1 request, 0.5 RCU
//plaza:cost one with 100 announcements of 1 KB: 1 request, 12.5 RCU
//plaza:cost past others that are withdrawn or over, at most: 4 requests
func (r *Repository) Live(ctx context.Context, reader notify.Reader) ([]notify.Announcement, error) {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.Live")
	if err := checkAudiences(reader.Audiences); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := r.opts.Now() // before a reading can become too old
	known := make([][]notify.Announcement, len(reader.Audiences))
	var unknown []int
	for i, audience := range reader.Audiences {
		found, ok := r.cache.get(audience)
		if !ok {
			unknown = append(unknown, i)
		}
		known[i] = found.announcements
	}
	if len(unknown) > 0 {
		err := parallel.ForEach(ctx, len(unknown), readsAtOnce, func(ctx context.Context, n int) (err error) {
			i := unknown[n]
			known[i], err = r.refresh(ctx, reader.Audiences[i])
			return wrap("read", reader.Audiences[i], err)
		})
		if err != nil {
			return nil, err
		}
	}
	return merge(known, now, reader.Joined), nil
}

func checkAudiences(audiences []string) error {
	return cmp.Or(args.Count("Audiences", len(audiences), "audiences", MaxAudiences), keys.CheckNames("Audiences", audiences))
}

func merge(audiences [][]notify.Announcement, now, joined time.Time) []notify.Announcement {
	var live []notify.Announcement
	for _, announcements := range audiences {
		for _, a := range announcements {
			if shows(a, now, joined) {
				live = append(live, clone(a))
			}
		}
	}
	if len(audiences) > 1 {
		slices.SortFunc(live, func(a, b notify.Announcement) int { return cmp.Compare(b.ID, a.ID) })
		live = slices.CompactFunc(live, func(a, b notify.Announcement) bool { return a.ID == b.ID })
	}
	return live
}

// reading has the announcements that were read of an audience, newest first.
type reading struct {
	at            time.Time // when the read began
	announcements []notify.Announcement
}

// fresh reports whether a reading has all that shows now.
func (r reading) fresh(now time.Time) bool { return share.Fresh(r.at, now, CacheTTL) }

// refresh shares the reads of one audience. A read that another caller began may be too old
// when it ends: then it reads once more.
func (r *Repository) refresh(ctx context.Context, audience string) ([]notify.Announcement, error) {
	for range 2 {
		found, err := r.reads.Do(ctx, audience, func(ctx context.Context) (reading, error) {
			if found, ok := r.cache.get(audience); ok { // another read has ended since the caller looked
				return found, nil
			}
			found, err := r.read(ctx, audience)
			if err == nil {
				r.cache.put(audience, found)
			}
			return found, err
		})
		if err != nil {
			return nil, err
		}
		if found.fresh(r.opts.Now()) {
			return found.announcements, nil
		}
	}
	return nil, plaza.ErrBusy
}

// read leaves out announcements that begin to show only after the reading is no longer used.
// Those that begin before that count towards MaxLive at once.
func (r *Repository) read(ctx context.Context, audience string) (reading, error) {
	found := reading{at: r.opts.Now()}
	span := store.Span{
		PK:    audiencePK(audience),
		To:    ids.At(found.at.Add(CacheTTL + time.Millisecond)).String(),
		Limit: MaxLive,
	}
	for range maxReads {
		rows, rest, err := store.Read[row](ctx, r.table, span)
		if err != nil {
			return reading{}, err
		}
		for _, i := range rows {
			if i.live(found.at) && len(found.announcements) < MaxLive {
				found.announcements = append(found.announcements, i.announcement(audience))
			}
		}
		if rest == "" || len(found.announcements) == MaxLive {
			break
		}
		span.To = rest
		span.Limit *= 2
	}
	return found, nil
}
