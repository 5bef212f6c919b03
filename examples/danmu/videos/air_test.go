package videos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func airTests() pages {
	return pages{
		// The script simulates the time, and checks the placed danmu every 50 ms of it.
		"lanes hold however danmu come": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			seen := browsertest.Eval[struct{ Placed, Dropped, Forced, Pairs int }](p, `import("/lanes.js").then(({ Lanes, crossings, ends, leftOf, worths }) => {
				let seed = 7;
				const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
				const seen = { placed: 0, dropped: 0, forced: 0, pairs: 0 };
				const lanes = new Lanes(900, 500);
				let aloft = [];
				for (let at = 0, next = 0; at < 600; at += 0.05) {
					for (; next <= at; next += random(200) / 1000) {
						const worth = [worths.own, worths.live, worths.live][random(50)] ?? worths.timeline;
						const c = { start: next, mode: random(4), worth, width: 20 + random(1200), height: 20 + random(60), crossing: crossings[random(6)] };
						const gone = lanes.place(c);
						if (!gone) {
							seen.dropped++;
							if (worth === worths.own) seen.pairs++;
							continue;
						}
						if (gone.some((other) => other.worth >= worth) && worth !== worths.own) seen.pairs++;
						if (gone.length > 0) seen.forced++;
						aloft = aloft.filter((other) => !gone.includes(other));
						seen.placed++;
						aloft.push(c);
					}
					aloft = aloft.filter((c) => at < ends(c));
					seen.pairs += `+touching+`(aloft.map((c) => ({ ...c, left: leftOf(c, at, 900) })));
					if (aloft.some((c) => c.top < 0 || c.top + c.height > 500)) seen.pairs++;
					if (lanes.placed.filter((c) => at < ends(c)).length !== aloft.length) seen.pairs++;
				}
				return seen;
			})`)
			require.Zero(t, seen.Pairs)
			require.Positive(t, seen.Dropped)
			require.Positive(t, seen.Forced)
			require.Greater(t, seen.Placed, 1000)
		},
		// The time jumps, as when the page was hidden for a while, or the video begins again.
		"after a jump there flies what flies then": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			require.Equal(t, []string{"", "a", "a", "b", "a", "", "1"}, browsertest.Eval[[]string](p, `Promise.all([import("/flight.js"), import("/timeline.js")]).then(([{ Flight }, { Timeline }]) => {
				const timeline = new Timeline();
				const danmu = (id, time) => ({ id, content: { text: id, position: 0, time } });
				timeline.add([danmu("c", 60), danmu("a", 1), danmu("b", 50), danmu("a", 1)]);
				timeline.add([danmu("a", 1)]);
				const flight = new Flight(timeline, () => ({ width: 100, height: 20 }));
				flight.resize(900, 500);
				const aloft = [0, 1.5, 1.5, 51, 1.2, 9.1].map((at) => {
					flight.step(at);
					return flight.aloft.map((c) => c.comment.id).join();
				});
				return [...aloft, String(timeline.between(0, 2).length)]; // it was added three times
			})`))
		},
		// 12 live danmu arrive each second for 5 seconds.
		"live danmu do not remove each other": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			seen := browsertest.Eval[struct{ Live, Cut, Missed, Gone, Dropped int }](p, crowded+`.then(({ flight, danmu, planned, ends }) => {
				const live = [], shown = new Map(), early = new Set();
				let before = [];
				for (let frame = 0; frame <= 60 * 20; frame++) {
					const at = frame / 60;
					if (at >= 10 && at < 15 && frame % 5 === 0) {
						live.push(danmu("live" + frame, 50));
						flight.arrive(live.at(-1), false);
					}
					flight.step(at);
					for (const c of flight.aloft) shown.set(c.comment.id, c);
					for (const c of before) {
						if (at < ends(c) && !flight.aloft.includes(c)) early.add(c.comment.id);
					}
					before = flight.aloft;
				}
				const due = [...planned.filter((c) => c.content.time <= 20), ...live];
				return {
					live: live.filter((c) => shown.has(c.id)).length,
					cut: live.filter((c) => early.has(c.id)).length,
					missed: live.filter((c) => !shown.has(c.id)).length,
					gone: early.size + due.filter((c) => !shown.has(c.id)).length,
					dropped: flight.dropped,
				};
			})`)
			require.Equal(t, 60, seen.Live+seen.Missed)
			require.Greater(t, seen.Live, 30)
			require.Positive(t, seen.Missed, "there is not room for all")
			require.Zero(t, seen.Cut, "who flies, flies to the end")
			require.Equal(t, seen.Gone, seen.Dropped)
		},
		// A danmu that has left the stage blocks no other one.
		"for a live danmu goes as little as can": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			require.Equal(t, []int{60, 60, 0}, browsertest.Eval[[]int](p, `import("/lanes.js").then(({ Lanes, modes, worths }) => {
				const lanes = new Lanes(900, 200);
				const top = (worth, height) => ({ start: 0, mode: modes.top, worth, width: 100, height });
				for (const height of [30, 30, 60]) lanes.place(top(worths.timeline, height));
				const live = top(worths.live, 60);
				const gone = lanes.place(live).map((c) => c.top);
				const low = new Lanes(900, 40); // of one lane
				low.place({ ...top(worths.live, 30), start: 5 });
				return [...gone, live.top, low.place(top(worths.timeline, 30)).length];
			})`))
		},
		"one's own flies whatever is in the air": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			require.Equal(t, []int{1, 1, 1, 0, 1}, browsertest.Eval[[]int](p, crowded+`.then(({ flight, timeline, danmu }) => {
				flight.step(9);
				for (let i = 0; i < 200; i++) flight.arrive(danmu("live" + i, 50), false);
				flight.step(9.1);
				flight.arrive(danmu("mine", 50), true);
				for (let i = 0; i < 200; i++) flight.arrive(danmu("more" + i, 50), false);
				flight.step(9.2);
				const aloft = (id) => flight.aloft.filter((c) => c.comment.id === id).length;
				const seen = [aloft("mine")];
				flight.resize(400, 300);
				seen.push(aloft("mine"));
				timeline.add([danmu("mine", 50)]);
				flight.refresh();
				flight.step(9.3);
				seen.push(aloft("mine"));
				timeline.remove("mine"); // it is not wanted any more
				flight.refresh();
				flight.step(9.4);
				seen.push(aloft("mine"));
				for (let i = 0; i < 100; i++) flight.arrive(danmu("mine" + i, 50), true);
				flight.step(9.5);
				return [...seen, aloft("mine99")];
			})`))
		},
		// 5,000 comments fly, more than any stage has room for, and the mouse moves 1,000 times.
		"a hit among thousands costs little": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			require.Positive(t, browsertest.Eval[int](p, `import("/stage.js").then(({ Stage }) => {
				const stage = new Stage(document.createElement("canvas"), { between: () => [], has: () => true }, { now: () => 20 }, { me: () => "", onFrame: () => {} });
				stage.at = 20;
				stage.width = 900;
				stage.flight.aloft = Array.from({ length: 5000 }, (_, i) => ({ comment: { id: String(i) }, start: 13 + (i % 70) / 10, mode: 0, top: i % 500, width: 100, height: 20 }));
				return Array.from({ length: 1000 }, (_, i) => stage.hit(i % 900, i % 520)).filter(Boolean).length;
			})`))
		},
		"a clock pauses at its end": func(t *testing.T, b browsertest.Browser) {
			p, _ := bare(t, b)
			require.Equal(t, []float64{60, 1, 0}, browsertest.Eval[[]float64](p, `import("/clock.js").then(async ({ Clock }) => {
				const clock = new Clock(60);
				const paused = new Promise((done) => clock.addEventListener("pause", done));
				clock.play();
				clock.currentTime = 59.9;
				clock.playbackRate = 0.00001;
				clock.playbackRate = 2;
				await paused;
				const end = clock.currentTime, held = Number(clock.paused);
				clock.play();
				clock.pause();
				return [end, held, Math.floor(clock.currentTime)];
			})`))
		},
	}
}

// crowded makes a flight with a stage full of danmu, at 60 frames a second.
const crowded = `Promise.all([import("/flight.js"), import("/timeline.js"), import("/lanes.js")]).then(([{ Flight }, { Timeline }, { ends }]) => {
	let seed = 11;
	const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
	const timeline = new Timeline();
	const danmu = (id, time) => ({ id, content: { text: id, position: 0, time } });
	const planned = [];
	for (let i = 0; i < 40 * 30; i++) planned.push(danmu("a" + String(i).padStart(4, "0"), i / 40));
	timeline.add(planned);
	const flight = new Flight(timeline, () => ({ width: 60 + random(240), height: 30 }));
	flight.resize(900, 500);
	return { flight, timeline, danmu, planned, ends };
})`
