package main

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// The repositories with options that suit an operator: consistent reads, and nothing
// hidden. If the result depends on an application's options, the caller says so.

func (s *site) follow() (*follow.Repository, error) {
	return follow.New(s.db, s.names.Follow, noIDs{}, &follow.Options{Consistent: true, OnCorrupt: s.corrupt})
}

func (s *site) feed(gen ids.Source) (*feed.Repository, error) {
	return feed.New(s.db, s.names.Feed, gen, noFollows{}, &feed.Options{Consistent: true, OnCorrupt: s.corrupt})
}

func (s *site) comment() (*comment.Repository, error) {
	return comment.New(s.db, s.names.Comment, noIDs{}, &comment.Options{Consistent: true, OnCorrupt: s.corrupt})
}

// anyKind is for calls that need no kinds of reactions, where New requires one.
const anyKind = "any"

func (s *site) reaction(kinds []string) (*reaction.Repository, error) {
	return reaction.New(s.db, s.names.Reaction, noIDs{}, &reaction.Options{Kinds: kinds, Consistent: true, OnCorrupt: s.corrupt})
}

func (s *site) leaderboard(gen ids.Source) (*leaderboard.Repository, error) {
	return leaderboard.New(s.db, s.names.Leaderboard, gen, &leaderboard.Options{Consistent: true, OnCorrupt: s.corrupt})
}

func (s *site) danmu(gen ids.Source) (*danmu.Repository, error) {
	return danmu.New(s.db, s.names.Danmu, gen, &danmu.Options{HideAt: 1 << 62, Consistent: true, OnCorrupt: s.corrupt})
}

func (s *site) notify(opts notify.Options) (*notify.Repository, error) {
	opts.Consistent, opts.OnCorrupt = true, s.corrupt
	return notify.New(s.db, s.names.Notify, noIDs{}, &opts)
}

func (s *site) prefs() (*prefs.Repository, error) {
	return prefs.New(s.db, s.names.Notify, noIDs{}, &prefs.Options{Consistent: true, OnCorrupt: s.corrupt})
}

func (s *site) digest() (*digest.Repository, error) {
	return digest.New(s.db, s.names.Notify, &digest.Options{OnCorrupt: s.corrupt})
}

func (s *site) message(gen ids.Source) (*message.Repository, error) {
	return message.New(s.db, s.names.Message, gen, &message.Options{Limiter: ratelimit.Unlimited{}, Consistent: true, OnCorrupt: s.corrupt})
}

// noFollows is the graph of feeds that deliver nothing.
type noFollows struct{}

func (noFollows) Follow(context.Context, follow.Edge) (follow.Edge, bool, error) {
	return follow.Edge{}, false, plaza.ErrUnavailable
}

func (noFollows) Unfollow(context.Context, follow.Edge) (bool, error) {
	return false, plaza.ErrUnavailable
}

func (noFollows) Last(context.Context, follow.Edge) (follow.Edge, bool, error) {
	return follow.Edge{}, false, plaza.ErrUnavailable
}

func (noFollows) Walk(context.Context, string, cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	return cursor.Page[follow.Edge]{}, plaza.ErrUnavailable
}
