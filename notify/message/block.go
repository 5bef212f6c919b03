package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Block ends the conversation of a pair until User unblocks Other: neither can send. It
// also blocks in Options.Blocks. Groups that both are in go on.
//
// Cost: …
func (r *Repository) Block(ctx context.Context, p Pair) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Unblock takes a Block back.
//
// Cost: as Block.
func (r *Repository) Unblock(ctx context.Context, p Pair) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}
