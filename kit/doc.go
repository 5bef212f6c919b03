// Package kit makes the repositories of all features by one call, and connects them as a
// service usually does. It has nothing that the features lack: a service can make any of
// them itself, and pollers, folders and hubs it always does. Erase and Export are of a user,
// over all features.
//
// What New connects, unless the options on the right are set:
//
//	from           to        effect                                             unless set
//	Follows        Feeds     homes show those whom their reader follows         -
//	Follows        Bell      NotifyWatchers reaches who follows the object      Notify.Watchers
//	Prefs          Bell      settings, blocks and mutes decide                  Notify.Policy
//	Announcements  Bell      lists and counts have the announcements            Notify.Announcements
//	Digests        Bell      what goes to further channels is planned           Notify.Scheduler
//	Prefs          Messages  a block stops messages and notifications alike     Message.Blocks
//	Bell           Prefs     an actor is the user that Notify.User says         Prefs.User
//	Bell           Digests   an actor is the user that Notify.User says         DigestWorker.User
//	Bell           Digests   its Policy decides again before a digest is sent   DigestWorker.Policy
//	Prefs          Digests   Tokens, where it has keys, sign unsubscribe links  DigestWorker.Unsubscribe
//
// A kit without the feature Notify gives Messages no Prefs, which have no table then.
//
// What that costs: with Prefs as its Policy, the bell asks it about each notification
// (prefs.Repository.Decide). Messages asks Prefs about each message to a pair, and when a user
// is put into a group, with 1 request and 1 RCU for each of the two
// (message.Options.BlocksOnce saves most).
package kit
