package main

import "testing"

// shared are tests of one world. Each has people that are in no other.
type shared map[string]func(*testing.T, *world)

// inTurn runs tests that compare what all people see, or expect a pin to be at home at once.
func (s shared) inTurn(t *testing.T, w *world) {
	t.Helper()
	w.unlimited()
	for name, test := range s {
		t.Run(name, func(t *testing.T) { test(t, w) })
	}
}

func TestPeople(t *testing.T) {
	t.Parallel()
	shared{
		"ABoardIsMadeOnceRenamedAndFollowed":                    aBoardIsMadeOnceRenamedAndFollowed,
		"ACommentIsLikedAndDeleted":                             aCommentIsLikedAndDeleted,
		"ALikeCountsOnceAndCanBeTakenBack":                      aLikeCountsOnceAndCanBeTakenBack,
		"ASavedPictureFollowsTheOriginal":                       aSavedPictureFollowsTheOriginal,
		"APicturesOwnerPinsAndHidesComments":                    aPicturesOwnerPinsAndHidesComments,
		"AProfileCountsAndListsFollows":                         aProfileCountsAndListsFollows,
		"ATitleIsEditedAndAPinRemovedEverywhereByItsOwnerAlone": aTitleIsEditedAndAPinRemovedEverywhereByItsOwnerAlone,
		"AnotherOnesPictureIsSavedOnce":                         anotherOnesPictureIsSavedOnce,
		"BoardsAreBoundedAndReadInPages":                        boardsAreBoundedAndReadInPages,
		"CommentsAreThreadsWithQuotesAndMentions":               commentsAreThreadsWithQuotesAndMentions,
		"CommentsRefuseBadInputAndOtherPeople":                  commentsRefuseBadInputAndOtherPeople,
		"EveryoneIsWelcomedOnce":                                everyoneIsWelcomedOnce,
		"HomeShowsPinsWithTheirLikesAndComments":                homeShowsPinsWithTheirLikesAndComments,
		"MessagesAreRefused":                                    messagesAreRefused,
		"OnLambdaALostAnswerCannotBeRead":                       onLambdaALostAnswerCannotBeRead,
		"OnLambdaOtherHostsAndSitesAreRefused":                  onLambdaOtherHostsAndSitesAreRefused,
		"OnlyAFreshPictureOfOnesOwnIsPublished":                 onlyAFreshPictureOfOnesOwnIsPublished,
		"OnlyModeratorsModerate":                                onlyModeratorsModerate,
		"TheDrawerHasWordsForEveryRoute":                        theDrawerHasWordsForEveryRoute,
		"TwoPeopleWriteToEachOther":                             twoPeopleWriteToEachOther,
		"WrongRequestsAreRefused":                               wrongRequestsAreRefused,
	}.inTurn(t, newWorld(t))
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	shared{
		"ADrawingIsServedWithoutTheRightToRunScripts": aDrawingIsServedWithoutTheRightToRunScripts,
		"EveryAnswerHasTheHeadersThatOWASPAsksFor":    everyAnswerHasTheHeadersThatOWASPAsksFor,
		"OtherSitesReachNoRoute":                      otherSitesReachNoRoute,
		"StrangePathsAreRefused":                      strangePathsAreRefused,
	}.inTurn(t, newWorld(t))
}

// Each test waits for its own people's bells.
func TestBells(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	w.unlimited()
	for name, test := range (shared{
		"ABellIsItsOwners":                   aBellIsItsOwners,
		"ACommentReachesEachOfItsPeopleOnce": aCommentReachesEachOfItsPeopleOnce,
		"ADigestIsSentNow":                   aDigestIsSentNow,
		"ANoticeIsPutAwayAndBack":            aNoticeIsPutAwayAndBack,
		"ASavedPictureRingsItsOwnersBell":    aSavedPictureRingsItsOwnersBell,
		"PeopleChooseWhatTheyHearOf":         peopleChooseWhatTheyHearOf,
		"SeenIsNotRead":                      seenIsNotRead,
		"TheAuthorAloneReadsTheReason":       theAuthorAloneReadsTheModeratorsReason,
		"WhatPeopleDoRingsTheBell":           whatPeopleDoRingsTheBell,
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}
