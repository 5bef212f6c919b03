package prefs

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Keyring holds the keys of Token, by id.
//
// To rotate, first add the new key in every process, then make it Current. Remove
// the old key once its tokens need not work any more: US law requires 30 days
// after the mail.
type Keyring struct {
	Current byte            // The key that signs; must be in Keys.
	Keys    map[byte][]byte // 32 random bytes each. Tokens of all keys are accepted.
}

func (k *Keyring) check() error {
	if len(k.Keys) == 0 {
		return nil
	}
	k.Keys = maps.Clone(k.Keys)
	for _, id := range slices.Sorted(maps.Keys(k.Keys)) {
		field := fmt.Sprintf("Options.Tokens.Keys[%d]", id)
		if n := len(k.Keys[id]); n != sha256.Size {
			return &plaza.InvalidError{Field: field, Reason: fmt.Sprintf("has %d bytes, not %d", n, sha256.Size)}
		}
		if bytes.Equal(k.Keys[id], make([]byte, sha256.Size)) { // never filled in
			return &plaza.InvalidError{Field: field, Reason: "is all zero"}
		}
		k.Keys[id] = bytes.Clone(k.Keys[id])
	}
	if _, ok := k.Keys[k.Current]; !ok {
		return &plaza.InvalidError{Field: "Options.Tokens.Current", Reason: "is not in Keys"}
	}
	return nil
}

// A token before base64url: version 1, key id 1, HMAC-SHA256 32, and what it is
// about.
const (
	tokenVersion = 1
	tokenHeader  = 1 + 1
	tokenAt      = tokenHeader + sha256.Size

	maxToken = 4096
)

// ErrToken is returned by Unsubscribe for a token that is malformed, altered, or
// signed with a key that is gone. It unwraps to a plaza.InvalidError of the field
// Token.
var ErrToken error = tokenError{}

type tokenError struct{}

func (tokenError) Error() string { return "prefs: token is invalid" }

func (tokenError) Unwrap() error {
	return &plaza.InvalidError{Field: "Token", Reason: "is malformed, altered, or of a key that is gone"}
}

// Token returns a text for links in mails, with which Unsubscribe turns s off. It
// does not expire, and anybody who has it can read s. Without Options.Tokens the
// error is plaza.ErrUnavailable.
func (r *Repository) Token(s Subscription) (string, error) {
	if err := r.checkSubscription(s); err != nil {
		return "", err
	}
	ring := r.opts.Tokens
	if len(ring.Keys) == 0 {
		return "", errNoKeys()
	}
	about := keys.Join(s.User, s.Verb, s.Channel)
	raw := append([]byte{tokenVersion, ring.Current}, make([]byte, sha256.Size, sha256.Size+len(about))...)
	raw = append(raw, about...)
	copy(raw[tokenHeader:], sign(ring.Keys[ring.Current], raw))
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

func errNoKeys() error { return fmt.Errorf("prefs: no keys for tokens: %w", plaza.ErrUnavailable) }

// sign is the HMAC over all of a token but itself.
func sign(key, raw []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("plaza prefs.Token"))
	mac.Write(raw[:tokenHeader])
	mac.Write(raw[tokenAt:])
	return mac.Sum(nil)
}

// open returns what a token is about.
func (k Keyring) open(token string) (Subscription, error) {
	switch {
	case len(k.Keys) == 0:
		return Subscription{}, errNoKeys()
	case len(token) > maxToken:
		return Subscription{}, ErrToken
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	// The decoder alone would accept line breaks and stray trailing bits.
	if err != nil || base64.RawURLEncoding.EncodeToString(raw) != token {
		return Subscription{}, ErrToken
	}
	if len(raw) < tokenAt || raw[0] != tokenVersion {
		return Subscription{}, ErrToken
	}
	key, ok := k.Keys[raw[1]]
	if !ok || !hmac.Equal(raw[tokenHeader:tokenAt], sign(key, raw)) {
		return Subscription{}, ErrToken
	}
	about := string(raw[tokenAt:])
	parts := keys.Split(about)
	if len(parts) != 3 || keys.Join(parts...) != about {
		return Subscription{}, ErrToken
	}
	s := Subscription{User: parts[0], Verb: parts[1], Channel: parts[2]}
	if keys.CheckName("User", s.User) != nil || keys.CheckName("Channel", s.Channel) != nil {
		return Subscription{}, ErrToken
	}
	return s, nil
}

// Unsubscribe turns off the Subscription that Token was called with. For AnyVerb it
// also removes the settings that turn single verbs on for that channel. changed is true
// only if this call changed a setting. Any other token is ErrToken. Without
// Options.Tokens the error is plaza.ErrUnavailable.
//
// For RFC 8058, call it on a POST to the link of the header List-Unsubscribe, and not
// on a GET: mail filters follow links.
//
// Cost: as Set; for ErrToken none.
func (r *Repository) Unsubscribe(ctx context.Context, token string) (s Subscription, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Unsubscribe")
	s, err = r.opts.Tokens.open(token)
	if err != nil {
		return Subscription{}, false, err
	}
	changed, err = r.choose(ctx, s.User, func(choices map[choice]bool) {
		if s.Verb == AnyVerb {
			maps.DeleteFunc(choices, func(c choice, on bool) bool { return on && c.channel == s.Channel })
		}
		choices[choice{s.Verb, s.Channel}] = false
	})
	return s, changed, wrap("unsubscribe", s.User, err)
}
