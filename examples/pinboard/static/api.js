// Requests to the service, in the name of the person of this window. A write is repeated
// until an answer comes, with the same body: what is in it makes the repeat harmless. While
// the service cannot be reached it waits.
export const me = () => sessionStorage.getItem("pinboard.me") ?? "ann";

// signIn makes a window that of another person. No address does that: a link could change
// who somebody is.
export function signIn(id, path = "/", page = self) {
  page.sessionStorage.setItem("pinboard.me", id);
  page.location.assign(path);
}

// APIError is an answer that is a refusal.
export class APIError extends Error {
  constructor(status, problem, wait) {
    super(problem.reason ? `${problem.field ?? ""} ${problem.reason}`.trim() : problem.error);
    Object.assign(this, { status, field: problem.field, wait });
  }
}

// newKey names a write, so that its repeats are one write.
export const newKey = () => crypto.randomUUID();

// traffic has the events "spent" after each answer, "lost" when an answer was lost, and
// "reached" and "unreachable" as the service answers or does not.
export const traffic = new EventTarget();
export const waiting = new Set(); // the writes that somebody made and that have no answer yet
export const lose = { next: false }; // whether the next write's answer is to be lost

// What the page writes by itself, while somebody types or reads.
const byItself = /\/(typing|read|seen)$/;

const tries = 6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body = {}) => call("PUT", path, body);
export const del = (path, body = {}) => call("DELETE", path, body);

async function call(method, path, body) {
  const write = method === "GET" || byItself.test(path) ? null : { method, path };
  if (write) waiting.add(write);
  try {
    return await untilAnswered(method, path, body);
  } finally {
    waiting.delete(write);
  }
}

async function untilAnswered(method, path, body) {
  for (let n = 1; ; n++) {
    try {
      const answer = await once(method, path, body);
      traffic.dispatchEvent(new Event("reached"));
      return answer;
    } catch (error) {
      const refused = error instanceof APIError, write = method !== "GET";
      if (!refused && write) traffic.dispatchEvent(new CustomEvent("lost", { detail: { method, path, n } }));
      if (!refused && (!write || n > 1)) traffic.dispatchEvent(new Event("unreachable"));
      if (refused) traffic.dispatchEvent(new Event("reached"));
      const again = refused ? (error.status === 429 || error.status === 503) && n < tries : write || n < tries;
      if (!again) throw error;
      await pause(Math.min(4000, Math.max(200 * 2 ** n, (error.wait ?? 0) * 1000)));
    } finally {
      traffic.dispatchEvent(new Event("spent"));
    }
  }
}

// signed returns the headers that say whose request it is, and whether to lose the answer
// of this write.
export function signed(write) {
  const headers = { "Pinboard-User": me() };
  if (write && lose.next) {
    lose.next = false;
    headers["Pinboard-Lose"] = "answer";
  }
  return headers;
}

async function once(method, path, body) {
  const headers = signed(body && !byItself.test(path));
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const read = await answer.json();
  if (!answer.ok) throw new APIError(answer.status, read, Number(answer.headers.get("Retry-After")));
  return read;
}

// events opens a stream of the service for the person of this window. It reconnects by
// itself.
export function events(path) {
  const url = new URL(path, location.href);
  url.searchParams.set("as", me());
  return new EventSource(url);
}
