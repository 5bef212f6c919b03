package videos

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// ownerTime bounds the read of the owner for viewers.
const ownerTime = time.Second

// owner returns the owner of the video. The first submission that names one sets it,
// before it is sent; a later one must name the same.
func (s *Service) owner(ctx context.Context, given submission, at time.Duration) (string, error) {
	settings, err := s.danmu.Settings(ctx, given.ObjectID)
	if err != nil {
		return "", err
	}
	if given.OwnerID != "" && settings.Owner == "" {
		if at > settings.Duration { // Send would refuse it
			return "", &plaza.InvalidError{Field: "Progress", Reason: "is after the end"}
		}
		if settings, err = s.claim(ctx, given.ObjectID, given.OwnerID); err != nil {
			return "", err
		}
	}
	if given.OwnerID != "" && given.OwnerID != settings.Owner {
		return "", &plaza.InvalidError{Field: "ownerId", Reason: "is not the owner of the video"}
	}
	return settings.Owner, nil
}

// claim sets the owner of an object that has none, and returns its settings. Two
// concurrent claims would both succeed; several processes need a shared lock.
func (s *Service) claim(ctx context.Context, object, owner string) (danmu.Settings, error) {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	settings, err := s.danmu.Settings(ctx, object)
	if err != nil || settings.Owner != "" {
		return settings, err
	}
	settings.Owner = owner
	if _, err := s.danmu.Configure(ctx, object, settings); err != nil {
		return settings, err
	}
	return s.danmu.Settings(ctx, object)
}

// ownerOf returns the owner, for viewers. It returns none if the read takes too long,
// so that danmu are not late.
func (s *Service) ownerOf(object string) string {
	ctx, cancel := context.WithTimeout(context.Background(), ownerTime)
	defer cancel()
	settings, err := s.danmu.Settings(ctx, object)
	if err != nil {
		return ""
	}
	return settings.Owner
}
