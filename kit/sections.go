package kit

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// section is a list of what a user has.
type section struct {
	feature, kind string
	page          pager
}

// pager returns the page at a cursor, and the cursor of the next one, "" at the end.
type pager func(ctx context.Context, cursor string) (data []any, next string, err error)

func (s section) name() string { return s.feature + " " + s.kind }

// listed are the pages of a feature's own list.
func listed[T any](limit int, list func(context.Context, cursor.PageRequest) (cursor.Page[T], error), data func(T) any) pager {
	return func(ctx context.Context, at string) ([]any, string, error) {
		page, err := list(ctx, cursor.PageRequest{Cursor: cursor.Cursor(at), Limit: limit})
		all := make([]any, len(page.Items))
		for i, item := range page.Items {
			all[i] = data(item)
		}
		return all, string(page.Next), err
	}
}

func asIs[T any](item T) any { return item }

// of makes a list of a list of somebody's.
func of[T any](user string, list func(context.Context, string, cursor.PageRequest) (cursor.Page[T], error)) func(context.Context, cursor.PageRequest) (cursor.Page[T], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[T], error) { return list(ctx, user, req) }
}

// noIDs is the source of ids of repositories that only read.
type noIDs struct{}

// Next returns an error.
func (noIDs) Next(context.Context) (ids.ID, error) { return 0, plaza.ErrUnavailable }

// sections are all that a user has, in the order of an export.
func (x *export) sections() ([]section, error) {
	var all []section
	for _, f := range []struct {
		feature Feature
		of      func() ([]section, error)
	}{
		{Follow, x.followSections},
		{Feed, x.feedSections},
		{Comment, x.commentSections},
		{Reaction, x.reactionSections},
		{Leaderboard, x.leaderboardSections},
		{Danmu, x.danmuSections},
		{Message, x.messageSections},
		{Notify, x.notifySections},
	} {
		if !x.k.has(f.feature) {
			continue
		}
		more, err := f.of()
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// The repositories have options of their own: consistent reads, and nothing hidden. They
// only read, so they make no ids.

func (x *export) followSections() ([]section, error) {
	r, err := follow.New(x.k.db, x.k.Names.Follow, noIDs{}, &follow.Options{
		Consistent: true, Now: x.k.opts.Follow.Now, OnCorrupt: x.corrupt(x.k.opts.Follow.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	return []section{
		{"follow", "following", listed(x.limit, of(x.user, r.Following), asIs)},
		{"follow", "follower", listed(x.limit, of(x.user, r.Followers), asIs)},
	}, nil
}

// ownedActivity adds the field that an activity does not marshal.
type ownedActivity struct {
	Owner string `json:"owner"`
	feed.Activity
}

func (x *export) feedSections() ([]section, error) {
	o := &x.k.opts.Feed
	r, err := feed.New(x.k.db, x.k.Names.Feed, noIDs{}, x.k.Follows, &feed.Options{
		Consistent: true, Now: o.Now, OnCorrupt: x.corrupt(o.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	return []section{
		{"feed", "activity", listed(x.limit, r.Outbox(x.user).List, func(a feed.Activity) any { return ownedActivity{a.Owner, a} })},
		{"feed", "home, stored", x.stored(x.k.Names.Feed, keys.Join("H", x.user), "~", o.OnCorrupt, plain)},
	}, nil
}

func (x *export) commentSections() ([]section, error) {
	o := &x.k.opts.Comment
	r, err := comment.New(x.k.db, x.k.Names.Comment, noIDs{}, &comment.Options{
		Consistent: true, Now: o.Now, OnCorrupt: x.corrupt(o.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[comment.Comment], error) {
		return r.ByUser(ctx, x.user, req, &comment.ListOptions{WithHidden: true})
	}
	return []section{{"comment", "comment", listed(x.limit, list, asIs)}}, nil
}

// reactionSections reads what guards reactions: the lists ask for their kinds.
func (x *export) reactionSections() ([]section, error) {
	stored := func(item dynamo.Item) ([]any, error) {
		var all []any
		for _, name := range slices.Sorted(maps.Keys(item)) {
			parts := keys.Split(name)
			if len(parts) != 2 || parts[0] != "id" {
				continue
			}
			id, err := ids.Parse(textOf(item, name))
			if err != nil {
				return all, errors.New("a reaction has no id")
			}
			all = append(all, reaction.Reaction{User: x.user, Object: textOf(item, "sk"), Kind: parts[1], ID: id})
		}
		return all, nil
	}
	onCorrupt := x.k.opts.Reaction.OnCorrupt
	return []section{{"reaction", "reaction", x.stored(x.k.Names.Reaction, keys.Join("U", x.user), "", onCorrupt, stored)}}, nil
}

func (x *export) leaderboardSections() ([]section, error) {
	o := &x.k.opts.Leaderboard
	r, err := leaderboard.New(x.k.db, x.k.Names.Leaderboard, noIDs{}, &leaderboard.Options{
		Consistent: true, Now: o.Now, OnCorrupt: x.corrupt(o.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	unlisted := func(item dynamo.Item) ([]any, error) {
		if item["key"] == nil || item["part"] != nil { // it was removed, or the list has it
			return nil, nil
		}
		return plain(item)
	}
	return []section{
		{"leaderboard", "entry", listed(x.limit, of(x.user, r.ByPlayer), asIs)},
		{"leaderboard", "unlisted entry, stored", x.stored(x.k.Names.Leaderboard, keys.Join("P", x.user), "", o.OnCorrupt, unlisted)},
	}, nil
}

func (x *export) danmuSections() ([]section, error) {
	o := &x.k.opts.Danmu
	r, err := danmu.New(x.k.db, x.k.Names.Danmu, noIDs{}, &danmu.Options{
		HideAt: math.MaxInt64, Consistent: true, Now: o.Now, OnCorrupt: x.corrupt(o.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	own := func(kind string) pager {
		return x.stored(x.k.Names.Danmu, keys.Join("U", x.user), "", o.OnCorrupt, func(item dynamo.Item) ([]any, error) {
			parts := keys.Split(textOf(item, "sk"))
			switch {
			case len(parts) != 3:
				return nil, errors.New("its sort key is not that of a like or a report")
			case parts[2] != kind || item["id"] == nil: // the other kind, or taken back
				return nil, nil
			}
			op, err := ids.Parse(textOf(item, "id"))
			if err != nil {
				return nil, errors.New("its op is no id")
			}
			id, err := danmu.ParseID(parts[1])
			return []any{danmuAction{User: x.user, Object: parts[0], ID: id, Op: op}}, err
		})
	}
	return []section{
		{"danmu", "comment", listed(x.limit, of(x.user, r.ByUser), asIs)},
		{"danmu", "like", own("L")},
		{"danmu", "report", own("R")},
	}, nil
}

// danmuAction is a like or a report.
type danmuAction struct {
	User   string   `json:"user"`
	Object string   `json:"object"`
	ID     danmu.ID `json:"id"`
	Op     ids.ID   `json:"op"`
}

// beforeAll is a clock by which no snoozed notification is due and nothing has expired.
// So lists wake nothing, and leave nothing out.
func beforeAll() time.Time { return ids.ID(0).Time() }

func (x *export) notifySections() ([]section, error) {
	onCorrupt := x.k.opts.Notify.OnCorrupt
	r, err := notify.New(x.k.db, x.k.Names.Notify, noIDs{}, &notify.Options{
		Consistent: true, Now: beforeAll, OnCorrupt: x.corrupt(onCorrupt),
	})
	if err != nil {
		return nil, err
	}
	p, err := prefs.New(x.k.db, x.k.Names.Notify, noIDs{}, &prefs.Options{
		Consistent: true, Now: x.k.opts.Prefs.Now, OnCorrupt: x.corrupt(x.k.opts.Prefs.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
		return r.List(ctx, notify.Reader{User: x.user}, req)
	}
	stored := func(prefix string, data func(dynamo.Item) ([]any, error)) pager {
		return x.stored(x.k.Names.Notify, keys.Join("N", x.user), prefix, onCorrupt, data)
	}
	return []section{
		{"notify", "entry", listed(x.limit, list, asIs)},
		{"notify", "archived entry", listed(x.limit, of(x.user, r.Archived), asIs)},
		{"notify", "snoozed entry", listed(x.limit, of(x.user, r.Snoozed), asIs)},
		{"notify", "state, stored", stored("S", plain)},
		{"prefs", "setting", stored("P", settings)},
		{"prefs", "block", listed(x.limit, of(x.user, p.Blocks), asIs)},
		{"prefs", "mute", listed(x.limit, of(x.user, p.Mutes), asIs)},
		{"digest", "sent, stored", stored("D#", plain)},
		{"digest", "planned, stored", x.planned},
	}, nil
}

// settings are those that a user has set. prefs.Settings would have to know the application's
// verbs and channels.
func settings(item dynamo.Item) ([]any, error) {
	var stored struct {
		On  []string `dynamodbav:"on"`
		Off []string `dynamodbav:"off"`
	}
	if err := attributevalue.UnmarshalMap(item, &stored); err != nil {
		return nil, err
	}
	var all []any
	add := func(texts []string, on bool) error {
		for _, text := range texts {
			parts := keys.Split(text)
			if len(parts) != 2 {
				return errors.New("a setting is not of a verb and a channel")
			}
			all = append(all, prefs.Setting{Verb: parts[0], Channel: parts[1], On: on, Own: true})
		}
		return nil
	}
	err := add(stored.On, true)
	return all, errors.Join(err, add(stored.Off, false))
}

// mostShards is the most that digest.Options.JobShards may be.
const mostShards = 64

// planned reads the planned digests of all users, since there is no index by user. The
// cursor has the shard and the item that was read last.
func (x *export) planned(ctx context.Context, at string) ([]any, string, error) {
	number, after, _ := strings.Cut(at, " ")
	shard, _ := strconv.Atoi(number) // the first page has none
	if shard < 0 || shard >= mostShards {
		return nil, "", invalid("is not of that list")
	}
	items, next, err := x.read(ctx, x.k.Names.Notify, keys.Join("D", strconv.Itoa(shard)), "", after, x.limit)
	if err != nil {
		return nil, "", err
	}
	var all []any
	for _, item := range items {
		if textOf(item, "user") != x.user {
			continue
		}
		data, err := plain(item)
		if err != nil {
			return nil, "", err
		}
		all = append(all, data...)
	}
	if next != "" {
		return all, strconv.Itoa(shard) + " " + next, nil
	}
	shards, err := x.digestShards(ctx)
	if err != nil || shard+1 >= shards {
		return all, "", err
	}
	return all, strconv.Itoa(shard+1) + " ", nil
}

// digestShards is how many shards may have planned digests.
func (x *export) digestShards(ctx context.Context) (int, error) {
	items, _, err := x.read(ctx, x.k.Names.Notify, "D", "shards", "", 1)
	if err != nil || len(items) == 0 {
		return 0, err
	}
	number, _ := items[0]["n"].(*types.AttributeValueMemberN)
	if number == nil {
		return mostShards, nil // it is damaged
	}
	n, err := strconv.Atoi(number.Value)
	return min(n, mostShards), err
}
