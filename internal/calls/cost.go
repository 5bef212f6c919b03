package calls

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"regexp"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza/meter"
)

// Row is a directive //plaza:cost of a comment, which go doc hides: what a call costs in
// one case, or more in it.
//
//	//plaza:cost by a Pulled owner: 3 requests, 1 RCU, 5 WCU
//	//plaza:cost each further KB: 1 WCU
//	//plaza:cost a repeat: as Get
type Row struct {
	Case string
	Text string     // "3 requests, 1 RCU, 5 WCU"
	Cost meter.Cost // what Text says; 0 for "none" and "as Get"
}

const directive = "//plaza:cost "

// rowsOf returns the directives of a comment.
func rowsOf(doc *ast.CommentGroup) (rows []Row, err error) {
	if doc == nil {
		return nil, nil
	}
	for _, line := range doc.List {
		text, ok := strings.CutPrefix(line.Text, directive)
		if !ok {
			continue
		}
		name, amounts, ok := strings.Cut(text, ": ")
		if !ok {
			return nil, fmt.Errorf("%q has no case and colon", line.Text)
		}
		row := Row{Case: name, Text: amounts}
		if amounts != "none" && !strings.HasPrefix(amounts, "as ") {
			if row.Cost, err = parseCost(amounts); err != nil {
				return nil, fmt.Errorf("%q: %w", line.Text, err)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

var amount = regexp.MustCompile(`(\d[\d.,]*) (requests?|transactions?|RCU|WCU)\b`)

// Amounts returns the costs that a sentence states, such as 1 request and 2 WCU, each by
// itself.
func Amounts(sentence string) (amounts []meter.Cost, err error) {
	for _, found := range amount.FindAllStringSubmatch(sentence, -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
		if err != nil {
			return nil, err
		}
		switch found[2] {
		case "RCU":
			amounts = append(amounts, meter.Cost{Read: n})
		case "WCU":
			amounts = append(amounts, meter.Cost{Write: n})
		default:
			amounts = append(amounts, meter.Cost{Requests: int(n)})
		}
	}
	return amounts, nil
}

// parseCost sums a list of amounts and nothing else.
func parseCost(list string) (sum meter.Cost, err error) {
	if strings.Trim(amount.ReplaceAllString(list, ""), ", ") != "" {
		return sum, errors.New("only amounts of requests, transactions, RCU and WCU can be listed")
	}
	amounts, err := Amounts(list)
	for _, a := range amounts {
		sum = sum.Plus(a)
	}
	return sum, err
}

// Usual is the cost of a call in its first case: the first row or, without rows, the
// sentence up to its first semicolon.
func (c Call) Usual() (meter.Cost, error) {
	if len(c.Rows) > 0 {
		return c.Rows[0].Cost, nil
	}
	first, _, _ := strings.Cut(strings.TrimSuffix(c.Cost, "."), ";")
	return parseCost(first)
}

// costOf returns the paragraph of a comment that begins with "Cost: ", on one line.
func costOf(text string) string {
	var p comment.Parser
	for _, block := range p.Parse(text).Content {
		paragraph, ok := block.(*comment.Paragraph)
		if !ok {
			continue
		}
		var words strings.Builder
		for _, part := range paragraph.Text {
			switch part := part.(type) {
			case comment.Plain:
				words.WriteString(string(part))
			case comment.Italic:
				words.WriteString(string(part))
			case *comment.DocLink:
				for _, name := range part.Text {
					if name, ok := name.(comment.Plain); ok {
						words.WriteString(string(name))
					}
				}
			}
		}
		if cost, ok := strings.CutPrefix(words.String(), "Cost: "); ok {
			return strings.Join(strings.Fields(cost), " ")
		}
	}
	return ""
}
