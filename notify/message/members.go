package message

import (
	"context"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Add makes a user a member of a group. by is the user who acts: the same user, who joins, or
// a member; else the error is ErrNotMember. If one of the two blocks the other in Options.Blocks, the error is ErrBlocked. The user
// sees the messages that are sent from now on. A group with MaxMembers is ErrFull, and one that
// does not exist is plaza.ErrNotFound. changed is true only if this call added the user.
//
// Cost: 1 request, 7 WCU; 1 request, 2 RCU more where this process does not know the
// group.
//
//plaza:cost a user: 1 request, 7 WCU
//plaza:cost each further KB of the members' names: 2 WCU
//plaza:cost a group that this process does not know: 1 request, 2 RCU
//plaza:cost each further 4 KB of its members' names: 1 RCU
//plaza:cost nothing to change: 2 requests, 2 RCU, 4 WCU
//plaza:cost added by another: as Blocks.Blocked twice
func (r *Repository) Add(ctx context.Context, in In, by string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Add")
	if err := in.checkGroup(); err != nil {
		return false, err
	}
	if err := keys.CheckName("By", by); err != nil {
		return false, err
	}
	changed, err = r.join(ctx, in, by)
	return changed, wrap("add to", in.Conversation, err)
}

// Leave ends a user's membership of a group, and removes the group from the user's
// inbox. The user may still read what was sent until then. A user who never was a member is
// ErrNotMember, whether the group exists or not. changed is true only if this call ended the
// membership.
//
// Cost: as Add by the user; where there is nothing to change 1 request, 1 RCU more.
//
//plaza:cost a user: as Add
//plaza:cost nothing to change, beside that: 1 request, 1 RCU
func (r *Repository) Leave(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Leave")
	if err := in.checkGroup(); err != nil {
		return false, err
	}
	changed, err = r.leave(ctx, in, in.User)
	return changed, wrap("leave", in.Conversation, err)
}

// Members returns the members of a conversation, sorted by name. If the user is not one
// of them, the error is ErrNotMember.
//
// Cost: 1 request, 1 RCU, and 1 RCU for each further 4 KB of names; none for a pair.
func (r *Repository) Members(ctx context.Context, in In) ([]string, error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Members")
	if err := in.check("User"); err != nil {
		return nil, err
	}
	members, err := r.membersOf(ctx, in)
	return members, wrap("members of", in.Conversation, err)
}

// membersOf is Members without checks of its arguments.
func (r *Repository) membersOf(ctx context.Context, in In) ([]string, error) {
	if p, isPair := in.pair(); isPair {
		return []string{min(p.User, p.Other), max(p.User, p.Other)}, nil
	}
	var m roster
	err := r.table.Get(ctx, membersKey(in.Conversation), true, &m)
	switch {
	case errors.Is(err, plaza.ErrNotFound), err == nil && !slices.Contains(m.Members, in.User):
		return nil, ErrNotMember
	case err != nil:
		return nil, err
	}
	slices.Sort(m.Members)
	return m.Members, nil
}

func (in In) checkGroup() error {
	if _, isPair := in.pair(); isPair {
		return &plaza.InvalidError{Field: "Conversation", Reason: "names a pair, not a group"}
	}
	return in.check("User")
}

func (r *Repository) join(ctx context.Context, in In, by string) (changed bool, err error) {
	refusal := r.mayMeet(ctx, by, in.User)
	changed, err = r.alter(ctx, in, func(k known, id ids.ID) (next known, entry *store.Update, err error) {
		if by != in.User {
			if err := adding.refuses(k, by); err != nil {
				return k, nil, err
			}
		}
		if refusal != nil && !k.has(in.User) {
			return k, nil, refusal
		}
		return r.joining(in, k, id)
	})
	if by == in.User && errors.Is(err, ErrNotMember) {
		err = plaza.ErrNotFound
	}
	return changed, err
}

// admit adds a user whom Create still has to add. It does not add a user again who was
// added and has left.
func (r *Repository) admit(ctx context.Context, in In) (changed bool, err error) {
	changed, err = r.alter(ctx, in, func(k known, id ids.ID) (next known, entry *store.Update, err error) {
		if !slices.Contains(k.pending, in.User) {
			return k, nil, errAdmitted
		}
		return r.joining(in, k, id)
	})
	if errors.Is(err, errAdmitted) {
		err = nil
	}
	return changed, err
}

func (r *Repository) joining(in In, k known, id ids.ID) (next known, entry *store.Update, err error) {
	switch {
	case k.has(in.User):
		return k, nil, store.ErrSame
	case k.full(in.User):
		return k, nil, ErrFull
	}
	next = k
	next.members = append(slices.Clone(k.members), in.User)
	next.pending = without(k.pending, in.User)
	entry = r.table.Update(entryKey(in)).Set("last", id).
		Set("from", k.n).Set("read", k.n).Set("lastSeq", k.n).Remove("till", "recalled", "unread")
	return next, entry, nil
}

// leave ends a membership. by is the member who acts, or the user, who may always leave.
func (r *Repository) leave(ctx context.Context, in In, by string) (changed bool, err error) {
	changed, err = r.alter(ctx, in, func(k known, id ids.ID) (next known, entry *store.Update, err error) {
		if by != in.User {
			if err := removing.refuses(k, by); err != nil {
				return k, nil, err
			}
		}
		if !k.has(in.User) {
			return k, nil, store.ErrSame
		}
		next = k
		if next.owner == in.User {
			next.owner = ""
		}
		next.members = without(k.members, in.User)
		return next, r.table.Update(entryKey(in)).Set("till", k.n).Remove("last").If("attribute_exists(pk)"), nil
	})
	if err == nil && !changed && by == in.User {
		_, err = r.entry(ctx, in)
	}
	return changed, err
}

func without(users []string, user string) []string {
	return slices.DeleteFunc(slices.Clone(users), func(other string) bool { return other == user })
}

// errAdmitted is returned for a user whom Create has added.
var errAdmitted = errors.New("message: the user was added")

// alter changes a group in one transaction of the head, the members and, if the edit returns
// its update, the user's entry. The edit returns the new state, or an error. A group that does not
// exist is ErrNotMember.
// After store.ErrSame only the version rises, so that no earlier call comes after this one.
func (r *Repository) alter(ctx context.Context, in In, edit func(known, ids.ID) (known, *store.Update, error)) (changed bool, err error) {
	same, noted, entryless := false, false, false
	_, err = r.change(ctx, change{
		conversation: in.Conversation,
		plan: func(k known, head *store.Update, call ids.ID) (known, *store.Tx, error) {
			if k.version == 0 {
				return k, nil, ErrNotMember
			}
			next, entry, err := edit(k, call)
			same = errors.Is(err, store.ErrSame)
			switch {
			case same && noted: // by a later call, as the version has risen since this one read it
				return k, nil, err
			case err != nil && !(same && k.fresh):
				return k, nil, err
			}
			next.version++
			tx := r.table.Tx().Update(head.Set("mver", next.version)).Update(r.members(in, k, next))
			if entry != nil && !entryless {
				tx.Update(entry)
			}
			return next, tx, nil
		},
		refused: func(refused *store.Refused) (bool, error) {
			noted = same
			if _, ok := refused.At(2); ok {
				entryless = true // the member was erased
			}
			return false, nil
		},
	})
	if errors.Is(err, store.ErrSame) {
		return false, nil
	}
	return err == nil && !same, err
}

// members is the update of the list of members.
func (r *Repository) members(in In, was, next known) *store.Update {
	u := r.table.Update(membersKey(in.Conversation)).Set("mver", next.version).If("mver = ?", was.version).
		Set("members", next.members).Set("owner", next.owner).Set("name", next.name).Set("picture", next.picture)
	if next.has(in.User) {
		return u.Drop("pending", []string{in.User})
	}
	return u
}
