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

// caughtBy names the checks that must notice each bug; others may too.
var caughtBy = map[bug][]string{
	none: nil,

	boundaryRepeated:   {"every limit gives the same whole", "All gives the whole", "items added meanwhile do not disturb"},
	itemLostAtBoundary: {"every limit gives the same whole", "All gives the whole"},
	nextSkipsOneRow:    {"every limit gives the same whole"},
	offsetPaging: {
		"items added meanwhile do not disturb", "items removed meanwhile lose no other",
		"up gives the newer items nearest first", "up under writers loses and doubles nothing",
	},
	cursorItemNeeded:  {"a cursor outlives the items around it", "items removed meanwhile lose no other"},
	nextAfterFullPage: {"a full last page ends the list"},
	neverEnds:         {"an empty list ends at once", "every limit gives the same whole"},
	endsAtShortPage:   {"hidden items end nothing early"},
	endsAtEmptyPage:   {"hidden items end nothing early"},
	stuckOnHidden:     {"hidden items end nothing early", "a wholly hidden list leads on"},
	stuckOnHiddenUp:   {"a wholly hidden list leads on"},

	prevAboveAll:           {"an empty list ends at once"},
	prevMissing:            {"every limit gives the same whole", "Prev of the first page can be polled"},
	prevMissingOnFirstPage: {"Prev of the first page can be polled"},
	prevMissingOnEmptyUp:   {"Prev of the first page can be polled"},
	prevForgetsGap:         {"Prev of the first page can be polled"},
	prevAtFirstRow:         {"Prev of the first page can be polled", "Prev and Next undo each other"},
	nextMissingOnUp:        {"Prev of the first page can be polled", "up gives the newer items nearest first", "Prev and Next undo each other"},
	nextMissingOnEmptyUp:   {"Prev of the first page can be polled"},
	nextOfUpRestarts:       {"up gives the newer items nearest first", "Prev and Next undo each other"},
	upGivesNewestFirst:     {"up gives the newer items nearest first", "Prev and Next undo each other"},
	upAscending:            {"up gives the newer items nearest first", "Prev and Next undo each other"},

	otherDefault:         {"the limit has a default and a maximum"},
	noMaximum:            {"the limit has a default and a maximum"},
	maximumRefused:       {"the limit has a default and a maximum"},
	nilItems:             {"an empty list ends at once"},
	oneTooMany:           {"every limit gives the same whole"},
	oneTooFew:            {"every limit gives the same whole"},
	negativeIsDefault:    {"a negative limit is refused without a request"},
	negativeIsSent:       {"a negative limit is refused without a request"},
	negativeIsOtherError: {"a negative limit is refused without a request"},

	contextIgnored:    {"a cancelled context gives no items"},
	itemsBesideCancel: {"a cancelled context gives no items"},

	foreignAccepted:  {"a foreign cursor is refused without a request"},
	unauthenticated:  {"an altered cursor is refused without a request", "a foreign cursor is refused without a request"},
	textTrimmed:      {"an altered cursor is refused without a request"},
	lastBytesIgnored: {"an altered cursor is refused without a request"},
	sentBeforeDecode: {
		"an altered cursor is refused without a request", "a truncated cursor is refused without a request",
		"a garbage cursor is refused without a request", "a foreign cursor is refused without a request",
	},
	badCursorIsStart: {
		"an altered cursor is refused without a request", "a truncated cursor is refused without a request",
		"a garbage cursor is refused without a request", "a foreign cursor is refused without a request",
	},
	badCursorIsOtherError: {
		"an altered cursor is refused without a request", "a truncated cursor is refused without a request",
		"a garbage cursor is refused without a request", "a foreign cursor is refused without a request",
	},
}
