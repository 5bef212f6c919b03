package wallclock_test

import (
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// On 10 March 2024 clocks in New York went from two straight to three.
func ExampleSchedule() {
	schedule, err := wallclock.Parse("30 2 * * *", "America/New_York", nil)
	if err != nil {
		log.Fatal(err)
	}
	noon := time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)
	fmt.Println(schedule.Prev(noon))
	fmt.Println(schedule.Next(noon))
	// Output:
	// 2024-03-09 07:30:00 +0000 UTC
	// 2024-03-10 07:00:00 +0000 UTC
}
