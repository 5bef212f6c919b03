// Package announce keeps messages to everybody in an audience. One write reaches all its users,
// without a copy for each of them. A *Repository is a notify.Source.
//
//	announcements, err := announce.New(db, "notify", gen, nil) // notify's table
//	bell, err := notify.New(db, "notify", gen, &notify.Options{Announcements: announcements})
//
//	a, created, err := announcements.Announce(ctx, notify.Announcement{
//		Audience: "everyone", Title: "Show us your kingfisher",
//		Refs: []feed.Ref{{Kind: "contest", ID: "7"}}, Until: now.Add(14 * 24 * time.Hour),
//	})
//	page, err := bell.List(ctx, notify.Reader{
//		User: "ann", Joined: joined, Audiences: []string{"everyone", "photographers"},
//	}, cursor.PageRequest{})
//
//	changed, err := announcements.Withdraw(ctx, "everyone", a.ID) // for all
//	changed, err = bell.Dismiss(ctx, "ann", a.ID)                 // for one user
//
// An audience is any name. The service decides who belongs to it: it sets
// notify.Reader.Audiences.
//
// Each process reads the announcements of an audience once every CacheTTL. A user's
// mark must not cover an announcement that the process does not know yet. So an
// announcement begins to show 50 s after Announce, when all processes have read it,
// and a withdrawn one may still show for CacheTTL.
package announce
