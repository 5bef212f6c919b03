// Package prefs keeps users' preferences: which verbs reach them by which channel,
// which actors they block and which objects they mute. Mails can carry a token with
// which their reader unsubscribes by one click. A Repository is a notify.Policy, and
// shares notify's table.
//
// The first of these that applies decides about a notification:
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
