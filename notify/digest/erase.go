package digest

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase deletes a user's planned digests, and the records of those that were sent. It
// reads the planned digests of all users, since there is no index by user.
// notify.Repository.Erase does not delete planned digests, but without groups they send
// nothing. Call it once nobody notifies the user any more. After an error, repeat it.
//
// Cost: 2 requests, 1.5 RCU; 1 request for each 100 digests of all users, 0.5 RCU for 4
// KB; 1 WCU for each deleted.
//
//plaza:cost a user: 2 requests, 1.5 RCU
//plaza:cost each job shard, and each 100 digests of all users: 1 request
//plaza:cost each 4 KB of these: 0.5 RCU
//plaza:cost each 25 items of the user: 1 request
//plaza:cost each item of the user: 1 WCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "notify/digest.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.erase(ctx, user))
}

func (r *Repository) erase(ctx context.Context, user string) error {
	items, err := store.Query[dynamo.Item](ctx, r.table, markSpan(user))
	if err != nil {
		return err
	}
	var gone []store.Key
	for _, item := range items {
		gone = append(gone, store.KeyOf(item))
	}
	err = r.jobs.All(ctx, func(job dueJob) {
		if job.Work.User == user {
			gone = append(gone, job.Key)
		}
	})
	if err != nil {
		return err
	}
	r.known.forget(user)
	return r.table.DeleteAll(ctx, gone)
}
