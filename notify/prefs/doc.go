// Package prefs keeps what users want to be notified of: verbs by channel, blocked
// actors, muted objects, and unsubscribing with one click. A Repository is a
// notify.Policy, and shares notify's table.
//
// What reaches a user is decided when it happens, by the first of these that
// applies:
//
//  1. A critical notification is listed. Only its further channels are chosen.
//  2. The user's own action is dropped.
//  3. What a blocked actor does is dropped.
//  4. What is about a muted object is dropped, unless its verb pierces.
//  5. The user's setting for the verb and the channel.
//  6. The user's setting for AnyVerb and the channel.
//  7. The default of the verb.
//
// What is dropped does not come back when the user unblocks or unmutes.
//
// The channel InApp is the list itself. The other channels carry only what is in
// the list, so a verb that is off there is off everywhere.
package prefs
