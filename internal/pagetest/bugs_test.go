package pagetest

// bug is one way to get a list wrong.
type bug string

const (
	none bug = "none"

	boundaryRepeated   bug = "down reads the cursor's item again"
	itemLostAtBoundary bug = "down skips a row at the boundary"
	nextSkipsOneRow    bug = "down skips a row after a page of two or more"
	offsetPaging       bug = "pages are counted from the front"
	cursorItemNeeded   bug = "the cursor's item must still be there"
	nextAfterFullPage  bug = "a full last page has a Next"
	neverEnds          bug = "Next is always set"
	endsAtShortPage    bug = "a short page is taken for the end"
	endsAtEmptyPage    bug = "an empty page is taken for the end"
	stuckOnHidden      bug = "Next does not pass hidden rows"
	stuckOnHiddenUp    bug = "Prev does not pass hidden rows"

	prevAboveAll           bug = "Prev of an empty list is above all that comes"
	prevMissing            bug = "there is no Prev"
	prevMissingOnFirstPage bug = "the first page has no Prev"
	prevMissingOnEmptyUp   bug = "an empty page up has no Prev"
	prevForgetsGap         bug = "an empty page up forgets its gap"
	prevAtFirstRow         bug = "up reads the cursor's item again"
	nextMissingOnUp        bug = "a page up has no Next"
	nextMissingOnEmptyUp   bug = "an empty page up has no Next"
	nextOfUpRestarts       bug = "Next of a page up starts the list"
	upGivesNewestFirst     bug = "up starts with the newest, not the nearest"
	upAscending            bug = "a page up is oldest first"

	otherDefault         bug = "limit 0 is 20"
	noMaximum            bug = "no maximum"
	maximumRefused       bug = "above the maximum is an error"
	nilItems             bug = "an empty page has nil items"
	oneTooMany           bug = "one item too many"
	oneTooFew            bug = "one item too few"
	negativeIsDefault    bug = "a negative limit is the default"
	negativeIsSent       bug = "a negative limit is sent"
	negativeIsOtherError bug = "a negative limit is another error"

	contextIgnored    bug = "the context is ignored"
	itemsBesideCancel bug = "items beside a cancelled context"

	foreignAccepted       bug = "foreign cursors are accepted"
	unauthenticated       bug = "cursors are not authenticated"
	textTrimmed           bug = "space around a cursor is ignored"
	lastBytesIgnored      bug = "what follows a cursor is ignored"
	sentBeforeDecode      bug = "a request is sent before the cursor is read"
	badCursorIsStart      bug = "a bad cursor starts the list"
	badCursorIsOtherError bug = "a bad cursor is another error"
)

// bugs are all but none.
var bugs = []bug{
	boundaryRepeated, itemLostAtBoundary, nextSkipsOneRow, offsetPaging, cursorItemNeeded, nextAfterFullPage, neverEnds,
	endsAtShortPage, endsAtEmptyPage, stuckOnHidden, stuckOnHiddenUp, prevAboveAll, prevMissing, prevMissingOnFirstPage,
	prevMissingOnEmptyUp, prevForgetsGap, prevAtFirstRow, nextMissingOnUp, nextMissingOnEmptyUp, nextOfUpRestarts,
	upGivesNewestFirst, upAscending, otherDefault, noMaximum, maximumRefused, nilItems, oneTooMany, oneTooFew,
	negativeIsDefault, negativeIsSent, negativeIsOtherError, contextIgnored, itemsBesideCancel, foreignAccepted,
	unauthenticated, textTrimmed, lastBytesIgnored, sentBeforeDecode, badCursorIsStart, badCursorIsOtherError,
}
