package main

import "testing"

// shared are tests of one world, one after another. Each has users and objects that are in
// no other.
type shared map[string]func(*testing.T, world)

func (s shared) run(t *testing.T) {
	t.Helper()
	t.Parallel()
	w := newWorld(t)
	for name, test := range s {
		t.Run(name, func(t *testing.T) { test(t, w) })
	}
}

func TestRequests(t *testing.T) {
	shared{
		"RequestsOfOtherSitesAreNotStored":                requestsOfOtherSitesAreNotStored,
		"BadInputIsRefusedWithAReasonAndNothingIsWritten": badInputIsRefusedWithAReasonAndNothingIsWritten,
		"InputJustWithinTheLimitsIsAccepted":              inputJustWithinTheLimitsIsAccepted,
		"ACursorBelongsToOneListOfOneUser":                aCursorBelongsToOneListOfOneUser,
		"EveryAnswerKeepsOtherSitesOut":                   everyAnswerKeepsOtherSitesOut,
		"TheDescriptionIsServed":                          theDescriptionIsServed,
	}.run(t)
}

func TestFeeds(t *testing.T) {
	shared{
		"PeopleFollowAndUnfollow":                 peopleFollowAndUnfollow,
		"ActivitiesArePublishedEditedAndRemoved":  activitiesArePublishedEditedAndRemoved,
		"HomesArePagedAndPolled":                  homesArePagedAndPolled,
		"AHomeIsReadInGroups":                     aHomeIsReadInGroups,
		"AHomeIsTheSameFromAPulledSource":         aHomeIsTheSameFromAPulledSource,
		"NamesMayHaveAnyCharacter":                namesMayHaveAnyCharacter,
		"UnknownRoutesAreRefusedAsJSON":           unknownRoutesAreRefusedAsJSON,
		"AnotherFeaturesTableIsRefusedAtTheStart": anotherFeaturesTableIsRefusedAtTheStart,
		"ARepeatedPostIsOneActivity":              aRepeatedPostIsOneActivity,
		"CommentsAreAnsweredQuotedAndListed":      commentsAreAnsweredQuotedAndListed,
		"ARepeatedCommentIsOne":                   aRepeatedCommentIsOne,
		"OnlyItsAuthorEditsAndDeletesAComment":    onlyItsAuthorEditsAndDeletesAComment,
		"ModeratorsHideRemoveAndPin":              moderatorsHideRemoveAndPin,
		"PeopleReactAndSwitch":                    peopleReactAndSwitch,
		"TheBestLikedCommentIsOnTop":              theBestLikedCommentIsOnTop,
	}.run(t)
}
