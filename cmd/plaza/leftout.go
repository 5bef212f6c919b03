package main

// leftOut is data of a user that an export does not have.
type leftOut struct {
	Feature string `json:"feature"`
	What    string `json:"what"`
	Why     string `json:"why"`
}

// leftOut is for the features that are exported.
func (s *site) leftOut() []any {
	var all []any
	for _, l := range []struct {
		table string
		leftOut
	}{
		{s.names.Follow, leftOut{"follow", "counts, and follows that ended", "counts are those of the lists; the rest expires after 30 days"}},
		{s.names.Feed, leftOut{"feed", "entries of the home", "they are other people's activities, which the follows bring"}},
		{s.names.Feed, leftOut{"feed", "removed activities, and deliveries that wait", "nothing but their ids is left; deliveries name activities that are exported"}},
		{s.names.Feed, leftOut{"feed", "activities of others that name the user", "they belong to their owners"}},
		{s.names.Feed, leftOut{"feed", "whether homes read the user's outbox", "the application decides that"}},
		{s.names.Comment, leftOut{"comment", "mentions in other people's comments, and comments that the user moderated", "no index finds them"}},
		{s.names.Comment, leftOut{"comment", "keys of repeatable calls", "they name comments that are exported, and expire after 30 days"}},
		{s.names.Reaction, leftOut{"reaction", "reactions that ended", "they expire after 30 days"}},
		{s.names.Leaderboard, leftOut{"leaderboard", "removed entries", "they have no score, and expire after 30 days"}},
		{s.names.Leaderboard, leftOut{"leaderboard", "counts of folded boards", "a folder counts entries, which are exported"}},
		{s.names.Danmu, leftOut{"danmu", "likes and reports that were taken back", "they expire after 30 days"}},
		{s.names.Danmu, leftOut{"danmu", "how often the user sent something lately", "it expires when the user is at rest"}},
		{s.names.Message, leftOut{"message", "keys of messages", "they name messages that are exported, and expire after 30 days"}},
		{s.names.Message, leftOut{"message", "other people's messages that the user may not read", "they were cleared, or are from before or after the membership"}},
		{s.names.Notify, leftOut{"notify", "events that were retracted", "they show nowhere, and expire with their group"}},
		{s.names.Notify, leftOut{"notify", "the user as an actor in other people's notifications, and notifications for watchers that wait", "they belong to their readers"}},
		{s.names.Notify, leftOut{"announce", "announcements", "they are for everybody; those that the user dismissed are in the state"}},
		{s.names.Notify, leftOut{"prefs", "blocks and mutes that ended, and other people's blocks of the user", "they expire after 30 days; other people's are theirs"}},
		{s.names.Letters, leftOut{"letters", "records in dead letters", "no index finds them; they are copies of what is exported"}},
	} {
		if l.table != "" {
			all = append(all, l.leftOut)
		}
	}
	return all
}
