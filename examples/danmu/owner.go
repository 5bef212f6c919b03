package main

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// ownerTime is how long who watches waits to be told whose the video is.
const ownerTime = time.Second

// owner is whose video it is: whom the first submission that names somebody
// names, before it is sent. A later one may name nobody else.
func (a *api) owner(ctx context.Context, s submission, at time.Duration) (string, error) {
	settings, err := a.danmu.Settings(ctx, s.ObjectID)
	if err != nil {
		return "", err
	}
	if s.OwnerID != "" && settings.Owner == "" {
		if at > settings.Duration { // which Send would refuse
			return "", &plaza.InvalidError{Field: "Progress", Reason: "is after the end"}
		}
		if settings, err = a.claim(ctx, s.ObjectID, s.OwnerID); err != nil {
			return "", err
		}
	}
	if s.OwnerID != "" && s.OwnerID != settings.Owner {
		return "", &plaza.InvalidError{Field: "ownerId", Reason: "is not whose video it is"}
	}
	return settings.Owner, nil
}

// claim gives what stands once an object that was nobody's is owner's. Two at
// once would both configure it; where several processes serve, a lock that
// they share has to keep them apart.
func (a *api) claim(ctx context.Context, object, owner string) (danmu.Settings, error) {
	a.claiming.Lock()
	defer a.claiming.Unlock()
	settings, err := a.danmu.Settings(ctx, object)
	if err != nil || settings.Owner != "" {
		return settings, err
	}
	settings.Owner = owner
	if _, err := a.danmu.Configure(ctx, object, settings); err != nil {
		return settings, err
	}
	return a.danmu.Settings(ctx, object)
}

// ownerOf is for who watches: they are told without, rather than late.
func (s *service) ownerOf(object string) string {
	ctx, cancel := context.WithTimeout(context.Background(), ownerTime)
	defer cancel()
	settings, err := s.danmu.Settings(ctx, object)
	if err != nil {
		return ""
	}
	return settings.Owner
}
