package pagetest

type check[T any] struct {
	name  string
	run   func(probe[T])
	hides bool // needs List.Hide
}

func checks[T any]() []check[T] {
	return []check[T]{
		{name: "an empty list ends at once", run: emptyListEndsAtOnce[T]},
		{name: "every limit gives the same whole", run: everyLimitGivesTheWhole[T]},
		{name: "a full last page ends the list", run: fullLastPageEnds[T]},
		{name: "the limit has a default and a maximum", run: limitHasDefaultAndMaximum[T]},
		{name: "a negative limit is refused unsent", run: negativeLimitIsRefused[T]},
		{name: "All gives the whole", run: allGivesTheWhole[T]},
		{name: "a cancelled context gives no items", run: cancelledContextGivesNoItems[T]},

		{name: "items added meanwhile do not disturb", run: addedMeanwhile[T]},
		{name: "items removed meanwhile lose no other", run: removedMeanwhile[T]},
		{name: "a cursor outlives the items around it", run: cursorOutlivesItems[T]},

		{name: "Prev of the first page can be polled", run: prevCanBePolled[T]},
		{name: "up gives the newer items nearest first", run: upGivesNewerNearestFirst[T]},
		{name: "Prev and Next undo each other", run: prevAndNextUndoEachOther[T]},
		{name: "up under writers loses and doubles nothing", run: upUnderWriters[T]},

		{name: "hidden items end nothing early", run: hiddenItemsEndNothing[T], hides: true},
		{name: "a wholly hidden list leads on", run: whollyHiddenLeadsOn[T], hides: true},

		{name: "an altered cursor is refused unsent", run: alteredCursorIsRefused[T]},
		{name: "a truncated cursor is refused unsent", run: truncatedCursorIsRefused[T]},
		{name: "a garbage cursor is refused unsent", run: garbageCursorIsRefused[T]},
		{name: "a foreign cursor is refused unsent", run: foreignCursorIsRefused[T]},
	}
}
