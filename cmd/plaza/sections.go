package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
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

// sections are all that a user has, in the order of an export.
func (s *site) sections(user string) ([]section, error) {
	var all []section
	for _, f := range []struct {
		table string
		of    func(user string) ([]section, error)
	}{
		{s.names.Follow, s.followSections},
		{s.names.Feed, s.feedSections},
		{s.names.Comment, s.commentSections},
		{s.names.Reaction, s.reactionSections},
		{s.names.Leaderboard, s.leaderboardSections},
		{s.names.Danmu, s.danmuSections},
		{s.names.Message, s.messageSections},
		{s.names.Notify, s.notifySections},
	} {
		if f.table == "" {
			continue
		}
		more, err := f.of(user)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func (s *site) followSections(user string) ([]section, error) {
	r, err := s.follow()
	if err != nil {
		return nil, err
	}
	return []section{
		{"follow", "following", listed(s.page, of(user, r.Following), asIs)},
		{"follow", "follower", listed(s.page, of(user, r.Followers), asIs)},
	}, nil
}

// ownedActivity adds the field that an activity does not marshal.
type ownedActivity struct {
	Owner string `json:"owner"`
	feed.Activity
}

func (s *site) feedSections(user string) ([]section, error) {
	r, err := s.feed(noIDs{})
	if err != nil {
		return nil, err
	}
	home := keys.Join("H", user)
	return []section{
		{"feed", "activity", listed(s.page, r.Outbox(user).List, func(a feed.Activity) any { return ownedActivity{a.Owner, a} })},
		{"feed", "home, stored", s.stored(s.names.Feed, home, "~", plain)},
	}, nil
}

func (s *site) commentSections(user string) ([]section, error) {
	r, err := s.comment()
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[comment.Comment], error) {
		return r.ByUser(ctx, user, req, &comment.ListOptions{WithHidden: true})
	}
	return []section{{"comment", "comment", listed(s.page, list, asIs)}}, nil
}

// reactionSections reads what guards reactions: the lists ask for their kinds.
func (s *site) reactionSections(user string) ([]section, error) {
	return []section{{"reaction", "reaction", s.stored(s.names.Reaction, keys.Join("U", user), "", func(item dynamo.Item) ([]any, error) {
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
			all = append(all, reaction.Reaction{User: user, Object: textOf(item, "sk"), Kind: parts[1], ID: id})
		}
		return all, nil
	})}}, nil
}

func (s *site) leaderboardSections(user string) ([]section, error) {
	r, err := s.leaderboard(noIDs{})
	if err != nil {
		return nil, err
	}
	return []section{{"leaderboard", "entry", listed(s.page, of(user, r.ByPlayer), asIs)}}, nil
}

func (s *site) danmuSections(user string) ([]section, error) {
	r, err := s.danmu(noIDs{})
	if err != nil {
		return nil, err
	}
	own := func(kind string) pager {
		return s.stored(s.names.Danmu, keys.Join("U", user), "", func(item dynamo.Item) ([]any, error) {
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
			return []any{danmuAction{User: user, Object: parts[0], ID: id, Op: op}}, err
		})
	}
	return []section{
		{"danmu", "comment", listed(s.page, of(user, r.ByUser), asIs)},
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

func (s *site) notifySections(user string) ([]section, error) {
	r, err := s.notify(notify.Options{Now: beforeAll})
	if err != nil {
		return nil, err
	}
	p, err := s.prefs()
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
		return r.List(ctx, notify.Reader{User: user}, req)
	}
	pk := keys.Join("N", user)
	return []section{
		{"notify", "entry", listed(s.page, list, asIs)},
		{"notify", "archived entry", listed(s.page, of(user, r.Archived), asIs)},
		{"notify", "snoozed entry", listed(s.page, of(user, r.Snoozed), asIs)},
		{"notify", "state, stored", s.stored(s.names.Notify, pk, "S", plain)},
		{"prefs", "setting", s.stored(s.names.Notify, pk, "P", settings)},
		{"prefs", "block", listed(s.page, of(user, p.Blocks), asIs)},
		{"prefs", "mute", listed(s.page, of(user, p.Mutes), asIs)},
		{"digest", "sent, stored", s.stored(s.names.Notify, pk, "D#", plain)},
		{"digest", "planned, stored", s.planned(user)},
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
func (s *site) planned(user string) pager {
	return func(ctx context.Context, at string) ([]any, string, error) {
		number, after, _ := strings.Cut(at, " ")
		shard, _ := strconv.Atoi(number) // the first page has none
		items, next, err := s.query(ctx, s.names.Notify, keys.Join("D", strconv.Itoa(shard)), "", after, s.page)
		if err != nil {
			return nil, "", err
		}
		var all []any
		for _, item := range items {
			if textOf(item, "user") != user {
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
		shards, err := s.digestShards(ctx)
		if err != nil || shard+1 >= shards {
			return all, "", err
		}
		return all, strconv.Itoa(shard+1) + " ", nil
	}
}

// digestShards is how many shards may have planned digests.
func (s *site) digestShards(ctx context.Context) (int, error) {
	items, _, err := s.query(ctx, s.names.Notify, "D", "shards", "", 1)
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
