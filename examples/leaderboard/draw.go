package main

import (
	"strings"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
)

const (
	barWidth = 40
	here     = " ◀ Zoë"
)

// bar draws n to an eighth of a column; most is as long as can be.
func bar(n, most int64) string {
	eighths := int(n * barWidth * 8 / max(most, 1))
	if n > 0 {
		eighths = max(eighths, 1)
	}
	parts := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	return strings.Repeat("█", eighths/8) + parts[eighths%8]
}

// medal is two columns wide, as are the blanks of who has none.
func medal(rank int64) string {
	if medals := []string{"🥇", "🥈", "🥉"}; rank <= int64(len(medals)) {
		return medals[rank-1]
	}
	return "  "
}

// standings shows a line a player, with when they had that score: among equals
// the first one is above. The greatest score fills a bar.
func (l *league) standings(rows []leaderboard.Row, greatest int64) {
	for _, row := range rows {
		score := row.Score.Int64()
		mark := ""
		if row.Player == zoe.id {
			mark = here
		}
		l.ledger.Show("%s %6s  %-18s %5s  %s  %s%s", medal(row.Rank.Competition), ledger.Thousands(row.Rank.Competition),
			row.Name, ledger.Thousands(score), row.At.In(l.now.Location()).Format("Mon 15:04"), bar(score, greatest), mark)
	}
}
