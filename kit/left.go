package kit

import (
	"cmp"
	"fmt"
	"time"
)

// Left is something that an Erase leaves.
type Left struct {
	Feature string `json:"feature"`
	Of      Owner  `json:"of,omitzero"`
	What    string `json:"what"`
	Reason  string `json:"reason"`

	// Until is when the last of it is gone, by the options as they are now. Where it is zero,
	// Reason says what ends it.
	Until time.Time `json:"until,omitzero"`
}

// Owner is whose id is in what is left. It is empty where that has no id.
type Owner string

// The owners.
const (
	OfUser   Owner = "user"
	OfObject Owner = "object"
)

func (l Left) String() string {
	if l.Until.IsZero() {
		return fmt.Sprintf("%s: %s: %s", l.Feature, l.What, l.Reason)
	}
	return fmt.Sprintf("%s: %s, until %s: %s", l.Feature, l.What, l.Until.Format(time.DateOnly), l.Reason)
}

// How long things stay.
const (
	month     = 30 * 24 * time.Hour // ids that have ended
	retention = 90 * 24 * time.Hour // the default of feed and notify
	lag       = 10 * time.Minute    // of an index and of deliveries, generously
)

// left lists what an erasure leaves, as the comments of Erase and EraseObject do.
func (k *Kit) left(objects bool) Erasure {
	now := time.Now
	if k.opts.Now != nil {
		now = k.opts.Now
	}
	at := now()
	in := func(d time.Duration) time.Time { return at.Add(d).Truncate(time.Second) }
	homes := in(cmp.Or(k.opts.Feed.Retention, retention))
	groups := in(cmp.Or(k.opts.Notify.Retention, retention) + time.Hour) // as notify adds, for clocks
	const (
		late   = "so that late requests bring nothing back"
		others = "it belongs to others"
	)
	all := []Left{
		{"follow", OfUser, "ids of follows that ended, and that all was erased", late, in(month)},
		{"feed", OfUser, "entries in other people's homes, hidden", "no index finds them", homes},
		{"feed", OfUser, "sources that others unfollowed or read, in their homes", "until a later unfollow forgets them", time.Time{}},
		{"feed", OfUser, "the To of other people's activities and of deliveries that wait", others + ", until they remove it", time.Time{}},
		{"comment", OfUser, "mentions in other people's comments, and who removed or hid one", others + ", until they are erased", time.Time{}},
		{"reaction", OfUser, "ids of reactions that ended", late, in(month)},
		{"leaderboard", OfUser, "ids of entries that were removed", late, in(month)},
		{"leaderboard", OfUser, "perhaps the beginning of the id in what a folder published", "until it publishes again", time.Time{}},
		{"leaderboard", "", "what the user's submissions added to other entries, such as likes", "unless they were retracted before", time.Time{}},
		{"danmu", OfUser, "ids of comments that the user liked or reported", late, in(month)},
		{"danmu", OfUser, "how often the user sent something lately, by a ratelimit.Table", "until it expires by its own interval", time.Time{}},
		{"message", OfUser, "the names of conversations of two, and each block on them", others + ", until they are erased", time.Time{}},
		{"notify", OfUser, "the user as an actor in other people's notifications, and in those that wait for watchers", others, groups},
		{"notify", OfUser, "other people's blocks of the user", others + ", until they unblock", time.Time{}},
	}
	if objects {
		all = append(all, []Left{
			{"feed", OfObject, "other people's activities about them", others + ", until they remove it", time.Time{}},
			{"comment", OfObject, "Keys, and comments that were removed before, in their authors' lists", late, in(month)},
			{"reaction", OfObject, "ids of reactions that ended, and that all was erased", late, in(month)},
			{"reaction", OfObject, "ids of reactions that were taken back before", "until their users are erased", time.Time{}},
			{"leaderboard", OfObject, "ids of entries that were removed", late, in(month)},
			{"danmu", OfObject, "likes and reports", "until their users take them back or are erased", time.Time{}},
			{"danmu", OfObject, "how often users sent something to them lately, by a ratelimit.Table", "until it expires by its own interval", time.Time{}},
			{"notify", OfObject, "other people's notifications about them", others, groups},
			{"notify", OfObject, "mutes of them", others + ", until they unmute", time.Time{}},
		}...)
	}
	var e Erasure
	for _, l := range all {
		if k.has(Feature(l.Feature)) {
			e.Left = append(e.Left, l)
		}
	}
	e.Left = append(e.Left, Left{"letters", OfUser, "records in dead letters, if the service keeps any", "until they are redriven or deleted", time.Time{}})
	if k.has(Danmu) || k.has(Notify) {
		e.Again = in(lag)
	}
	return e
}
