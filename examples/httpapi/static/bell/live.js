import { listen } from "../shared/stream.js";
import { liveOf } from "./api.js";

// watch listens to a user's bell until it is closed. A ring only says that something
// has changed. Reread is called after joining, so that nothing is missed.
export const watch = (user, reread) => listen(liveOf(user), { joined: reread, ring: reread, reset: reread });
