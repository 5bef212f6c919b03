package message

import (
	"cmp"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// act is what somebody does to a group. Members may do it, or its owner alone. All may leave, and
// whether a user may join is the service's to say.
type act struct{ owners bool }

var (
	adding     = act{owners: false} // another user
	describing = act{owners: true}
	removing   = act{owners: true} // another member
	handing    = act{owners: true} // the group to another owner
)

// refuses returns why a user may not act.
func (act act) refuses(k known, by string) error {
	switch {
	case !k.has(by):
		return ErrNotMember
	case act.owners && k.owns() != by:
		return ErrNotOwner
	}
	return nil
}

// Description is what a group is called, and looks like.
type Description struct {
	Name    string `json:"name,omitzero"`    // up to 256 bytes
	Picture string `json:"picture,omitzero"` // for example an address; up to 1,024 bytes
}

const maxPicture = 1_024

func (d Description) check() error {
	err := cmp.Or(
		args.Count("Name", len(d.Name), "bytes", keys.MaxName),
		args.Count("Picture", len(d.Picture), "bytes", maxPicture),
	)
	switch {
	case err != nil:
	case !utf8.ValidString(d.Name):
		err = &plaza.InvalidError{Field: "Name", Reason: "is not UTF-8"}
	case !utf8.ValidString(d.Picture):
		err = &plaza.InvalidError{Field: "Picture", Reason: "is not UTF-8"}
	}
	return err
}

// Describe replaces the name and picture of a group. The user must own it: another member is
// ErrNotOwner. changed is true only if this call changed them.
//
// Cost: as SetOwner.
func (r *Repository) Describe(ctx context.Context, in In, d Description) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Describe")
	if err := cmp.Or(in.checkGroup(), d.check()); err != nil {
		return false, err
	}
	changed, err = r.act(ctx, in, describing, func(k *known) error {
		if k.name == d.Name && k.picture == d.Picture {
			return store.ErrSame
		}
		k.name, k.picture = d.Name, d.Picture
		return nil
	})
	return changed, wrap("describe", in.Conversation, err)
}

// SetOwner makes another member the owner of a group, which only its owner may: another member is
// ErrNotOwner. If to is no member, the error is plaza.ErrNotFound. changed is true only if this
// call changed the owner. Once an owner has left, the member of longest standing owns the group.
//
// Cost: 1 request, 4 WCU; 1 request, 2 RCU more where this process does not know the group.
//
//plaza:cost a change: 1 request, 4 WCU
//plaza:cost each further KB of the members' names: 2 WCU
//plaza:cost a group that this process does not know: 1 request, 2 RCU
//plaza:cost each further 4 KB of its members' names: 1 RCU
//plaza:cost nothing to change: 2 requests, 2 RCU, 4 WCU
func (r *Repository) SetOwner(ctx context.Context, in In, to string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.SetOwner")
	if err := cmp.Or(in.checkGroup(), keys.CheckName("To", to)); err != nil {
		return false, err
	}
	changed, err = r.act(ctx, in, handing, func(k *known) error {
		switch {
		case k.owns() == to:
			return store.ErrSame
		case !k.has(to):
			return plaza.ErrNotFound
		}
		k.owner = to
		return nil
	})
	return changed, wrap("set the owner of", in.Conversation, err)
}

// act changes a group, if the user may. A repeat by who has handed the group over changes nothing.
func (r *Repository) act(ctx context.Context, in In, act act, edit func(*known) error) (changed bool, err error) {
	return r.alter(ctx, in, func(k known, _ ids.ID) (next known, entry *store.Update, err error) {
		next = k
		err = edit(&next)
		if refusal := act.refuses(k, in.User); refusal != nil && !(k.has(in.User) && errors.Is(err, store.ErrSame)) {
			err = refusal
		}
		return next, nil, err
	})
}

// Remove ends another user's membership of a group, as Leave does. by is the user who acts, and
// must own the group: another member is ErrNotOwner, anybody else ErrNotMember.
//
// Cost: as Add by the user.
func (r *Repository) Remove(ctx context.Context, in In, by string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Remove")
	if err := cmp.Or(in.checkGroup(), keys.CheckName("By", by)); err != nil {
		return false, err
	}
	changed, err = r.leave(ctx, in, by)
	return changed, wrap("remove from", in.Conversation, err)
}

// Details is what members see of a group.
type Details struct {
	Description
	Owner   string   `json:"owner,omitzero"`
	Members []string `json:"members"` // the one of longest standing first
}

// Details returns the details of groups, by their names. Groups that the user is not a member of
// are left out. It is strongly consistent.
//
// Cost: 1 request for each 100 groups, 1 RCU for each, and 1 RCU for each further 4 KB of names.
//
//plaza:cost each 100 groups: 1 request
//plaza:cost each group: 1 RCU
//plaza:cost each further 4 KB of its members' names: 1 RCU
func (r *Repository) Details(ctx context.Context, user string, groups ...string) (map[string]Details, error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Details")
	wanted := make([]store.Key, len(groups))
	for i, group := range groups {
		if err := (In{group, user}).checkGroup(); err != nil {
			return nil, err
		}
		wanted[i] = membersKey(group)
	}
	items, err := r.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return nil, wrap("details for", user, err)
	}
	found := make(map[string]Details, len(groups))
	for i, group := range groups {
		item := items[wanted[i]]
		var m roster
		if item == nil || r.table.Skips(r.table.Decode(item, &m)) {
			continue
		}
		if k := m.known(0); k.has(user) {
			found[group] = Details{Description: Description{m.Name, m.Picture}, Owner: k.owns(), Members: m.Members}
		}
	}
	return found, nil
}
