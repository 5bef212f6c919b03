package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Create begins a group. A repeat with the same members changes nothing; another group
// under the same ID is plaza.ErrConflict.
//
// Cost: 1 request, …
func (r *Repository) Create(ctx context.Context, g Group) (created bool, err error) {
	return false, plaza.ErrUnavailable
}

// Add makes a user a member of a group, who sees what is sent from now on. Changed is
// true only if this call did.
//
// Cost: …
func (r *Repository) Add(ctx context.Context, in In) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Leave ends a user's membership of a group. What was sent until then stays theirs to
// read. Changed is true only if this call did.
//
// Cost: …
func (r *Repository) Leave(ctx context.Context, in In) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Members returns who a conversation's members are, if the user is one of them.
//
// Cost: …
func (r *Repository) Members(ctx context.Context, in In) ([]string, error) {
	return nil, plaza.ErrUnavailable
}
