package cursor

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// dayKeys remembers the day keys that were used most recently.
type dayKeys struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*dayKey] // never changed in place
}

const maxDayKeys = 8

func (d *dayKeys) find(id byte, day int32) (*dayKey, bool) {
	list := d.list.Load()
	if list == nil {
		return nil, false
	}
	for _, k := range *list {
		if k.day == day && k.id == id {
			return k, true
		}
	}
	return nil, false
}

// add remembers k instead of the oldest key. Add only keys of genuine cursors: otherwise
// made-up days could displace the key in use.
func (d *dayKeys) add(k *dayKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.find(k.id, k.day); ok {
		return
	}
	list := []*dayKey{k}
	if old := d.list.Load(); old != nil {
		list = append(list, *old...)
	}
	slices.SortStableFunc(list, func(a, b *dayKey) int { return cmp.Compare(b.day, a.day) })
	list = list[:min(len(list), maxDayKeys)]
	d.list.Store(&list)
}
