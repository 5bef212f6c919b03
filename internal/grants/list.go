package grants

// features is the list. Tests run every call with only the grants of its role, and
// fail if no call uses a grant.
func features() []feature {
	const (
		reads  = "GetItem Query BatchGetItem "
		writes = "PutItem UpdateItem "
	)
	return []feature{
		{name: "machines", schema: "ids/lease.Table", static: true, roles: map[Role]duty{
			Service: {
				[]string{"ids/lease: Acquire", "ids/lease.Lease: Next Close", "ids/lease.Source: Next Close Verify"},
				[]Grant{on("machines", writes)},
			},
			// Workers and operators make ids too.
			Worker:   {nil, []Grant{on("machines", writes)}},
			Operator: {[]string{"ids/lease.Source: Init"}, []Grant{on("machines", writes)}},
		}},
		{name: "follow", schema: "follow.Table", roles: map[Role]duty{
			Reader: {
				[]string{"follow.Repository: Verify Get Last Followers Following Counts CountsMany Relations Walk"},
				[]Grant{on("follow", reads)},
			},
			Service: {
				[]string{"follow.Repository: Follow Unfollow"},
				[]Grant{on("follow", writes+"DeleteItem")},
			},
			Operator: {
				[]string{"follow.Repository: Init Import Check Repair Erase"},
				[]Grant{on("follow", reads+writes+"DeleteItem ConditionCheckItem BatchWriteItem")},
			},
		}},
		{name: "feed", schema: "feed.Table", roles: map[Role]duty{
			Reader: {
				[]string{"feed.Repository: Verify", "feed.Outbox: Get GetMany List Mode", "feed.Home: List Grouped"},
				[]Grant{on("feed", reads)},
			},
			Service: {
				[]string{"feed.Outbox: Publish PublishMany Update Remove RemoveForeign SetPulled", "feed.Home: Follow FollowMany Unfollow Trim"},
				[]Grant{on("feed", writes+"DeleteItem BatchWriteItem"), on("follow", "GetItem Query PutItem UpdateItem DeleteItem")},
			},
			Worker: {
				[]string{"feed.Repository: Deliver Run"},
				[]Grant{on("feed", "GetItem BatchGetItem Query UpdateItem DeleteItem BatchWriteItem"), on("follow", "Query")},
			},
			Operator: {
				[]string{"feed.Repository: Init Erase"},
				[]Grant{on("feed", "GetItem Query PutItem DeleteItem BatchWriteItem")},
			},
		}},
		{name: "comment", schema: "feed/comment.Table", roles: map[Role]duty{
			Reader: {
				[]string{"feed/comment.Repository: Verify Get GetMany ByObject ByUser Threads Replies Top Pinned Counts CountsMany"},
				[]Grant{on("comment", reads)},
			},
			Service: {
				[]string{"feed/comment.Repository: Add Edit Delete Remove Hide Unhide Pin Unpin UpdateScore"},
				[]Grant{on("comment", writes+"DeleteItem ConditionCheckItem")},
			},
			Operator: {
				[]string{"feed/comment.Repository: Init Erase EraseObject"},
				[]Grant{on("comment", reads+writes+"DeleteItem BatchWriteItem")},
			},
		}},
		{name: "reaction", schema: "feed/reaction.Table", roles: map[Role]duty{
			Reader: {
				[]string{"feed/reaction.Repository: Verify Get ByObject ByUser Counts CountsMany VersionedCounts Reacted"},
				[]Grant{on("reaction", reads)},
			},
			Service: {
				[]string{"feed/reaction.Repository: React Unreact"},
				[]Grant{on("reaction", writes+"DeleteItem")},
			},
			Operator: {
				[]string{"feed/reaction.Repository: Init Check CheckUser Repair RepairUser Erase EraseObject"},
				[]Grant{on("reaction", reads+writes+"DeleteItem ConditionCheckItem")},
			},
		}},
		{name: "leaderboard", schema: "leaderboard.Table", roles: map[Role]duty{
			Reader: {
				[]string{"leaderboard.Repository: Verify Definitions Periods Entry ByPlayer Players Top TopPercent Range Rank Around AroundScore " +
					"Percentile ScoreAt Count CountBetween Hidden"},
				[]Grant{on("leaderboard", reads), onIndex("leaderboard", "ranking")},
			},
			Service: {
				[]string{"leaderboard.Repository: Define Submit SubmitMany Apply Retract Remove Hide Unhide"},
				[]Grant{on("leaderboard", writes)},
			},
			// Workers read the standings. A folder also publishes counts.
			Worker: {
				[]string{"leaderboard.Repository: Deliver Run", "leaderboard.Folder: Run"},
				[]Grant{on("leaderboard", "GetItem Query "+writes+"DeleteItem BatchWriteItem"), onIndex("leaderboard", "ranking"), onStream("leaderboard")},
			},
			Operator: {
				[]string{"leaderboard.Repository: Init Check Repair Undefine Erase"},
				[]Grant{on("leaderboard", "GetItem Query "+writes+"DeleteItem BatchWriteItem Scan"), onIndex("leaderboard", "ranking")},
			},
		}},
		{name: "danmu", schema: "danmu.Table", roles: map[Role]duty{
			Reader: {
				[]string{"danmu.Repository: Verify Settings Get ByObject ByUser Window Segment Reactions Heatmap Export", "danmu/live.Viewer: CatchUp"},
				[]Grant{on("danmu", reads), onIndex("danmu", "byUser")},
			},
			Service: {
				[]string{"danmu.Repository: Configure Send Recall Remove Protect Unprotect Like Unlike Report",
					"danmu/live.Hub: Send Like Unlike Recall Remove"},
				[]Grant{on("danmu", writes)},
			},
			Operator: {
				[]string{"danmu.Repository: Init Import Erase EraseObject"},
				[]Grant{on("danmu", "GetItem Query "+writes+"DeleteItem BatchWriteItem"), onIndex("danmu", "byUser")},
			},
		}},
		{name: "notify", schema: "notify.Table", roles: map[Role]duty{
			// Lists and counts bring back snoozed groups that are due.
			Reader: {
				[]string{"notify.Repository: Verify List Archived Snoozed Unseen UnreadCount UnreadBetween", "notify/announce.Repository: Verify List Live",
					"notify/prefs.Repository: Verify Settings Blocked Blocks Mutes Decide", "notify/digest.Repository: Verify"},
				[]Grant{on("notify", reads+"UpdateItem"), onIndex("notify", "recent")},
			},
			Service: {
				[]string{"notify.Repository: Notify Retract RetractTarget MarkSeen MarkRead MarkAllRead MarkUnread Archive Unarchive Snooze Unsnooze Dismiss NotifyWatchers RetractWatchers",
					"notify/announce.Repository: Announce Edit Withdraw", "notify/prefs.Repository: Set Unset Unsubscribe Block Unblock Mute Unmute",
					"notify/digest.Repository: Schedule"},
				[]Grant{on("notify", writes)},
			},
			Worker: {
				[]string{"notify.Repository: Deliver Run", "notify/digest.Worker: Deliver Run"},
				[]Grant{on("notify", reads+writes+"DeleteItem BatchWriteItem"), onIndex("notify", "recent"), on("follow", "Query")},
			},
			Operator: {
				[]string{"notify.Repository: Init Erase", "notify/announce.Repository: Erase", "notify/prefs.Repository: Erase",
					"notify/digest.Repository: Erase"},
				[]Grant{on("notify", "GetItem Query PutItem BatchWriteItem")},
			},
		}},
		// notify's table, where prefs says who blocks whom.
		{name: "message", schema: "notify/message.Table", roles: map[Role]duty{
			Reader: {
				[]string{"notify/message.Repository: Verify Access Members Details History Inbox Unread Receipts", "notify/message/live.Hub: Join Typing",
					"notify/message/live.Viewer: Next"},
				[]Grant{on("message", reads), onIndex("message", "recent"), on("notify", "GetItem")},
			},
			Service: {
				[]string{"notify/message.Repository: Create Add Remove Leave Describe SetOwner Send Edit Recall React Unreact MarkRead MarkUnread Mute Unmute Clear Block Unblock", "notify/message/live.Hub: Publish"},
				[]Grant{on("message", writes), on("notify", "GetItem UpdateItem")},
			},
			Operator: {
				[]string{"notify/message.Repository: Init Erase"},
				[]Grant{on("message", reads+writes+"DeleteItem BatchWriteItem")},
			},
		}},
		{name: "pollers", schema: "stream/poller.Table", static: true, roles: map[Role]duty{
			Worker: {
				[]string{"stream/poller.Poller: Verify Run", "stream/poller.Reader: Next"},
				[]Grant{on("pollers", "Query PutItem UpdateItem DeleteItem"), onStream(EachStream)},
			},
			Operator: {[]string{"stream/poller.Poller: Init"}, []Grant{on("pollers", "PutItem")}},
		}},
		{name: "letters", schema: "stream/letters.Table", roles: map[Role]duty{
			Worker: {[]string{"stream/letters.Repository: Verify Put"}, []Grant{on("letters", "PutItem")}},
			Operator: {
				[]string{"stream/letters.Repository: Init List Delete"},
				[]Grant{on("letters", "Query PutItem DeleteItem")},
			},
		}},
	}
}
