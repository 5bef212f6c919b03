// Package sms sends digests as text messages, through the service's gateway.
//
//	sender, err := sms.New(gateway, desk, nil)
package sms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// Texter is a gateway to a telephone network.
type Texter interface {
	// Text sends a message to a number such as +4915112345678. A repeat has the same key:
	// pass it to the gateway, so that it sends the message once. An error is
	// digest.Permanent if another attempt cannot help.
	Text(ctx context.Context, to, key, body string) error
}

// Desk gives a Sender numbers and texts.
type Desk interface {
	// Phone returns a user's number, such as +4915112345678. If the error is
	// plaza.ErrNotFound, the digest is dropped.
	Phone(ctx context.Context, user string) (string, error)

	// Words puts a digest into words, in the user's language.
	Words(ctx context.Context, d digest.Digest) (string, error)
}

// Options of a Sender. The zero value works.
type Options struct {
	// Segments is how many segments a message may have, 1 to 10. Networks charge for
	// each. Longer texts are cut. Defaults to 2.
	Segments int
}

// Sender is a digest.Sender.
type Sender struct {
	texter Texter
	desk   Desk
	opts   Options
}

// New does no I/O.
func New(texter Texter, desk Desk, opts *Options) (*Sender, error) {
	s := &Sender{texter: texter, desk: desk}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Segments == 0 {
		s.opts.Segments = 2
	}
	switch {
	case texter == nil:
		return nil, &plaza.InvalidError{Field: "texter", Reason: "is missing"}
	case desk == nil:
		return nil, &plaza.InvalidError{Field: "desk", Reason: "is missing"}
	case s.opts.Segments < 1 || s.opts.Segments > 10:
		return nil, &plaza.InvalidError{Field: "Options.Segments", Reason: fmt.Sprintf("is %d, 1 to 10 are allowed", s.opts.Segments)}
	}
	return s, nil
}

// Send hands a digest to the Texter. A repeat has the same key.
//
// Cost: none.
func (s *Sender) Send(ctx context.Context, d digest.Digest) error {
	to, err := s.desk.Phone(ctx, d.User)
	if err == nil {
		err = checkPhone(to)
	}
	if errors.Is(err, plaza.ErrNotFound) || errors.Is(err, plaza.ErrInvalid) {
		err = digest.Permanent(err)
	}
	if err != nil {
		return fmt.Errorf("sms: phone of %s: %w", d.User, err)
	}
	words, err := s.desk.Words(ctx, d)
	if err == nil {
		err = s.texter.Text(ctx, to, messageKey(d.Key), fit(clean(words), s.opts.Segments))
	}
	if err != nil {
		return fmt.Errorf("sms: to %s: %w", d.User, err)
	}
	return nil
}

// checkPhone accepts numbers as in E.164.
func checkPhone(number string) error {
	if !regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`).MatchString(number) {
		return &plaza.InvalidError{Field: "Phone", Reason: "is not a + and 7 to 15 digits"}
	}
	return nil
}

// messageKey is the same in every attempt. It is a hash, because gateways limit the
// length and the characters of theirs.
func messageKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}
