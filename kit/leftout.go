package kit

// leftOut is data of a user that an export does not have.
type leftOut struct {
	Feature string `json:"feature"`
	What    string `json:"what"`
	Why     string `json:"why"`
}

// leftOut is for the features that are exported.
func (k *Kit) leftOut() []leftOut {
	var all []leftOut
	for _, l := range []struct {
		of Feature
		leftOut
	}{
		{Follow, leftOut{"follow", "counts, and follows that ended", "counts are those of the lists; the rest expires after 30 days"}},
		{Feed, leftOut{"feed", "entries of the home", "they are other people's activities, which the follows bring"}},
		{Feed, leftOut{"feed", "removed activities, and deliveries that wait", "nothing but their ids is left; deliveries name activities that are exported"}},
		{Feed, leftOut{"feed", "activities of others that name the user", "they belong to their owners"}},
		{Feed, leftOut{"feed", "whether homes read the user's outbox", "the application decides that"}},
		{Comment, leftOut{"comment", "mentions in other people's comments, and comments that the user moderated", "no index finds them"}},
		{Comment, leftOut{"comment", "keys of repeatable calls", "they name comments that are exported, and expire after 30 days"}},
		{Reaction, leftOut{"reaction", "reactions that ended", "they expire after 30 days"}},
		{Leaderboard, leftOut{"leaderboard", "removed entries", "they have no score, and expire after 30 days"}},
		{Leaderboard, leftOut{"leaderboard", "counts of folded boards", "a folder counts entries, which are exported"}},
		{Danmu, leftOut{"danmu", "likes and reports that were taken back", "they expire after 30 days"}},
		{Danmu, leftOut{"danmu", "how often the user sent something lately", "it expires when the user is at rest"}},
		{Message, leftOut{"message", "keys of messages", "they name messages that are exported, and expire after 30 days"}},
		{Message, leftOut{"message", "other people's messages that the user may not read", "they were cleared, or are from before or after the membership"}},
		{Notify, leftOut{"notify", "events that were retracted", "they show nowhere, and expire with their group"}},
		{Notify, leftOut{"notify", "the user as an actor in other people's notifications, and notifications for watchers that wait", "they belong to their readers"}},
		{Notify, leftOut{"announce", "announcements", "they are for everybody; those that the user dismissed are in the state"}},
		{Notify, leftOut{"prefs", "blocks and mutes that ended, and other people's blocks of the user", "they expire after 30 days; other people's are theirs"}},
		{"", leftOut{"letters", "records in dead letters", "no index finds them; they are copies of what is exported"}},
	} {
		if l.of == "" || k.has(l.of) {
			all = append(all, l.leftOut)
		}
	}
	return all
}
