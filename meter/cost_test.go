package meter_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/meter"
)

func TestACostIsAddedPricedAndWritten(t *testing.T) {
	c := meter.Cost{Requests: 1, Read: 1_000_000.5, Write: 2}.Plus(meter.Cost{Requests: 2, Read: 999_999.5, Write: 1_999_998})
	require.Equal(t, meter.Cost{Requests: 3, Read: 2_000_000, Write: 2_000_000}, c)
	require.InDelta(t, 2*0.125+2*0.625, c.Dollars(meter.USEast1()), 1e-12)
	require.InDelta(t, 2*3+2*5, c.Dollars(meter.Prices{Read: 3, Write: 5}), 1e-12)
	require.Equal(t, "3 requests, 0.5 RCU, 2 WCU", meter.Cost{Requests: 3, Read: 0.5, Write: 2}.String())
	text, err := json.Marshal(meter.Cost{Requests: 3, Read: 0.5, Write: 2})
	require.NoError(t, err)
	require.JSONEq(t, `{"requests":3,"read":0.5,"write":2}`, string(text))
}
