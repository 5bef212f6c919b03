package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/ids"
)

type idCommand struct {
	IDs  []string `arg:"" optional:"" name:"id" help:"Ids, as text or as numbers. Without any, ids are read from stdin, one a line."`
	JSON bool     `help:"Print one JSON object a line."`
}

// idParts are what an id consists of.
type idParts struct {
	Text     string    `json:"id"`
	Number   string    `json:"number"` // text, since JavaScript's numbers end at 53 bits
	Time     time.Time `json:"time"`
	Sequence uint64    `json:"sequence"` // of the millisecond
	Machine  uint64    `json:"machine"`
}

func (i idParts) String() string {
	return fmt.Sprintf("%s  %s  %s  sequence %d  machine %d", i.Text, i.Number,
		i.Time.Format("2006-01-02T15:04:05.000Z07:00"), i.Sequence, i.Machine)
}

const (
	machineBits  = 14
	sequenceBits = 8
)

func partsOf(id ids.ID) idParts {
	return idParts{
		Text: id.String(), Number: strconv.FormatUint(uint64(id), 10), Time: id.Time(),
		Sequence: uint64(id) >> machineBits & (1<<sequenceBits - 1),
		Machine:  uint64(id) & (1<<machineBits - 1),
	}
}

// parseID reads both forms. Text always has 13 characters; a number has 13 digits only
// if it is of the first hour after 2000.
func parseID(text string) (ids.ID, error) {
	id, err := ids.Parse(text)
	if err == nil && id != 0 {
		return id, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is no id", text)
	}
	return ids.ID(n), nil
}

// Run prints every id that it can read, and fails if it could not read one.
func (c *idCommand) Run(p *program) error {
	failed := false
	explain := func(text string) {
		id, err := parseID(text)
		if err != nil {
			fmt.Fprintln(p.stderr, "plaza:", err)
			failed = true
			return
		}
		p.print(partsOf(id), c.JSON)
	}
	for _, text := range c.IDs {
		explain(text)
	}
	if len(c.IDs) == 0 {
		lines := bufio.NewScanner(p.stdin)
		for lines.Scan() {
			if text := strings.TrimSpace(lines.Text()); text != "" {
				explain(text)
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	if failed {
		return errFound
	}
	return nil
}
