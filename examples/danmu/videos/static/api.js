import { connection } from "./connection.js";
import { reasonOf } from "./reasons.js";

// The calls of the service, at addresses relative to the page. A refusal throws an Error
// with the reason, its status, and after how many seconds to try again. Without an answer
// the status is 0.

// requests is for a service that this page is part of: headers returns some for a request,
// and ended is called after it.
export const requests = { headers: () => ({}), ended: () => {} };

const patience = 30_000; // milliseconds, more than the service takes

async function call(method, path, body) {
  try {
    return await answerOf(method, path, body);
  } finally {
    requests.ended();
  }
}

async function answerOf(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: { ...requests.headers(method), ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
    });
  } catch {
    connection.call(false);
    throw Object.assign(new Error(reasonOf({ reason: "The service cannot be reached." }, 0)), { status: 0 });
  }
  connection.call(true);
  const json = await answer.json().catch(() => null); // something in between may answer, too
  if (answer.ok && json) return json;
  const status = answer.ok ? 502 : answer.status;
  throw Object.assign(new Error(reasonOf(json ?? { reason: "Something failed there." }, status)), {
    status, after: Number(answer.headers.get("Retry-After")) || 0,
  });
}

const part = encodeURIComponent;

// videos names the videos that can be played.
export const videos = () => call("GET", "videos");

export const video = (id) => call("GET", `videos/${part(id)}`);

// segment reads the comments of some minutes, or a sample of them. With fresh it misses
// nothing that was sent before.
export const segment = (id, n, sample, fresh) => call("GET", `videos/${part(id)}/segments/${n}?sample=${sample}&fresh=${fresh ? 1 : 0}`);

export const heat = (id, buckets) => call("GET", `videos/${part(id)}/heat?buckets=${buckets}`);

export const mine = (user, cursor = "", size = 20) => call("GET", `users/${part(user)}/danmu?cursor=${part(cursor)}&size=${size}`);

const recallable = 2 * 60 * 1000; // milliseconds, as the service has it

// recallLeft is for how many milliseconds its sender can still recall a comment.
export const recallLeft = ({ createdAt }) => createdAt + recallable - Date.now();

export const recall = (id, danmu, user) => insist("DELETE", `videos/${part(id)}/danmu/${danmu}?user=${part(user)}`);

// send may be repeated: the key of a comment keeps it one comment.
export const send = (message) => call("POST", "danmu/send", message);

export function token() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// like likes a danmu, or takes that back.
export const like = (id, danmu, user, liked) => insist(liked ? "PUT" : "DELETE", `videos/${part(id)}/danmu/${danmu}/like?user=${part(user)}`);

export const report = (id, danmu, user) => insist("PUT", `videos/${part(id)}/danmu/${danmu}/report?user=${part(user)}`);

export const reactions = (id, n, user) => call("GET", `videos/${part(id)}/segments/${n}/reactions?user=${part(user)}`);

// insist repeats a call that does the same a second time.
async function insist(method, path) {
  for (let tries = 1; ; tries++) {
    try {
      return await call(method, path);
    } catch (error) {
      if (tries === 3 || (error.status > 0 && error.status < 500)) throw error;
      await new Promise((done) => setTimeout(done, 500 * tries));
    }
  }
}
