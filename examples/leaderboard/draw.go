package main

import (
	"fmt"
	"strings"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
)

const (
	barWidth = 40
	here     = " ◀ Zoë"
)

// bar draws a bar for n, exact to an eighth of a column. A full bar is most.
func bar(n, most int64) string {
	eighths := int(n * barWidth * 8 / max(most, 1))
	if n > 0 {
		eighths = max(eighths, 1)
	}
	parts := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	return strings.Repeat("█", eighths/8) + parts[eighths%8]
}

// medal returns a medal or blanks, two columns wide.
func medal(rank int64) string {
	if medals := []string{"🥇", "🥈", "🥉"}; rank <= int64(len(medals)) {
		return medals[rank-1]
	}
	return "  "
}

// The colours of bars: for medals, for other players, for the cheater, and from the
// lowest score to the highest.
var (
	places = []ledger.Style{"1;38;5;214", "1;38;5;247", "1;38;5;173"}
	others = ledger.Style("38;5;39")
	cheat  = ledger.Style("1;38;5;196")
	scale  = []ledger.Style{"38;5;24", "38;5;25", "38;5;31", "38;5;37", "38;5;36", "38;5;71", "38;5;107", "38;5;143", "38;5;179", "38;5;208", "38;5;202"}
)

// style returns the style of a player's line.
func style(row leaderboard.Standing) ledger.Style {
	switch rank := row.Rank; {
	case row.Player == cheater:
		return cheat
	case row.Player == zoe.id:
		return ledger.Marked
	case rank <= int64(len(places)):
		return places[rank-1]
	}
	return others
}

// standings shows one line per player, with the time of the score, because of equal
// scores the earlier is above. greatest is the score of a full bar.
func (l *league) standings(rows []leaderboard.Standing, greatest int64) {
	for _, row := range rows {
		score, own, name := row.Score.Int64(), style(row), ledger.Plain
		if own != others {
			name = own
		}
		mark := ""
		if row.Player == zoe.id {
			mark = l.ledger.Paint(own, here)
		}
		l.ledger.Show("%s %s  %s %5s  %s  %s%s", medal(row.Rank),
			l.ledger.Paint(ledger.Faint, fmt.Sprintf("%6s", ledger.Thousands(row.Rank))),
			l.ledger.Paint(name, fmt.Sprintf("%-18s", row.Name)), ledger.Thousands(score),
			l.ledger.Paint(ledger.Faint, row.At.In(l.now.Location()).Format("Mon 15:04")),
			l.ledger.Paint(own, bar(score, greatest)), mark)
	}
}
