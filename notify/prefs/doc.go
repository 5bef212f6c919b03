// Package prefs keeps users' preferences: which verbs reach them on which channel,
// which actors they block and which objects they mute. A mail can carry a token that
// unsubscribes its reader with one click. A *Repository is a notify.Policy, and uses
// notify's table.
//
//	preferences, err := prefs.New(db, "notify", gen, &prefs.Options{
//		Channels: []string{"email"},
//		Verbs:    []prefs.Verb{{Name: "like"}, {Name: "comment", Channels: []string{"email"}}},
//		Tokens:   prefs.Keyring{Current: 1, Keys: map[byte][]byte{1: secret}},
//	})
//	bell, err := notify.New(db, "notify", gen, &notify.Options{Policy: preferences})
//
//	likes := prefs.Subscription{User: "ann", Verb: "like", Channel: "email"}
//	changed, err := preferences.Set(ctx, likes, true) // from now on by mail too
//	token, err := preferences.Token(likes)            // in the mail's header List-Unsubscribe
//	likes, changed, err = preferences.Unsubscribe(ctx, token)
//	changed, err = preferences.Block(ctx, prefs.Pair{User: "ann", Actor: "bob"})
//
// The first of these rules that applies decides about a notification:
//
//  1. One that is marked critical is listed.
//  2. The user's own action is dropped.
//  3. One of a critical verb is listed.
//  4. One of a blocked actor is dropped.
//  5. One about a muted object is dropped, unless its verb pierces.
//  6. The user's setting for the verb and the channel applies.
//  7. The user's setting for AnyVerb and the channel applies.
//  8. The default of the verb applies.
//
// A critical notification also goes to the channels that are on by default or by a
// setting, and no setting turns those off. Notifications that were dropped do not come
// back when the user unblocks or unmutes.
//
// The channel InApp is the list itself. The other channels carry only what is in the
// list, so a verb that is off there is off everywhere.
package prefs
