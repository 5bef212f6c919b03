package stream

import (
	"context"
	"fmt"
)

// DeadSource is where Redrive gets its dead letters.
type DeadSource interface {
	// Receive returns the next letters, oldest first, and none at the end. A
	// letter that was received and not deleted does not come again for a while.
	Receive(context.Context) ([]Dead, error)

	// Delete removes a letter that Receive returned. It is no error if the letter
	// is gone.
	Delete(context.Context, Dead) error
}

// Redriven counts the letters that Redrive received. Those that were not handled
// are left where they were.
type Redriven struct {
	Handled   int // and deleted
	Failed    int
	Held      int // behind an earlier one of the same item that failed
	Positions int // without a record: read them again from the stream
	Unread    int // their record cannot be read
}

// Redrive gives the records of dead letters to b once, oldest first, until src
// has no more, and deletes the letters of those that were handled. A letter may
// be redriven twice, and after newer changes of its item were handled: b must
// compare versions, as for any record that comes again.
//
// A position, such as a failure document of Lambda's, has no record. It is
// counted and left; a source of poller.Reread reads its records from the stream.
//
// Cost: as src's Receive and b, and 1 Delete for each letter that was handled.
func Redrive(ctx context.Context, src DeadSource, b Batch) (Redriven, error) {
	var total Redriven
	failed := map[string]bool{} // items, by the hash of their key
	for {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		letters, err := src.Receive(ctx)
		if err != nil {
			return total, fmt.Errorf("stream: receive dead letters: %w", err)
		}
		if len(letters) == 0 {
			return total, nil
		}
		var driven []Dead
		var records []Record
		for _, letter := range letters {
			record, err := letter.record()
			switch {
			case len(letter.Record) == 0:
				total.Positions++
			case err != nil:
				total.Unread++
			case failed[keyHash(record)]:
				total.Held++
			default:
				driven = append(driven, letter)
				records = append(records, record)
			}
		}
		if len(records) == 0 {
			continue
		}
		errs := b.answer(ctx, records)
		for i, letter := range driven {
			switch {
			case errs[i] == nil:
				if err := src.Delete(ctx, letter); err != nil {
					return total, fmt.Errorf("stream: delete the dead letter of record %s: %w", letter.Seq, err)
				}
				total.Handled++
				continue
			case isHeld(errs[i]):
				total.Held++
			default:
				total.Failed++
			}
			failed[keyHash(records[i])] = true
		}
	}
}

// record is the letter's record, as Encode or as Lambda writes it.
func (d Dead) record() (Record, error) {
	record, err := DecodeEvent(d.Record)
	if err != nil {
		r := &eventReader{scanner{b: d.Record}, maxDepth}
		again, failed := r.record()
		if failed == nil {
			failed = r.end()
		}
		if failed != nil {
			return Record{}, err
		}
		record = again
	}
	if record.Shard == "" {
		record.Shard = d.Shard
	}
	return record, nil
}
