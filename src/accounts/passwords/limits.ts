/** How often somebody may guess, and how much of what waits or is remembered (docs/decisions/0049-signing-in.md). */

/** So many guesses at once, and then one in so long. */
export interface GuessAllowance {
  burst: number;
  eachMs: number;
}

/** For all networks together that the account's owner never signed in from: 288 guesses a day. */
export const STRANGERS: GuessAllowance = { burst: 20, eachMs: 5 * 60_000 };
/** For each network that the owner has signed in from, of its own. */
export const KNOWN: GuessAllowance = { burst: 20, eachMs: 5 * 60_000 };
/** For one network, over all accounts that do not know it: an office may come on one day. */
export const NETWORK: GuessAllowance = { burst: 50, eachMs: 60_000 };
/** For its neighbours too. Attack: whoever has a /48 of IPv6 has 65,536 networks. */
export const WIDER_NETWORK: GuessAllowance = { burst: 200, eachMs: 15_000 };

/** For a file link, of each network of its own: whoever guesses in one keeps nobody out who comes from another one. */
export const LINK_NETWORK: GuessAllowance = { burst: 20, eachMs: 5 * 60_000 };
/** For a file link, of all networks together: they go on slowly. Attack: ten networks and more guess at one link. */
export const LINK: GuessAllowance = { burst: 200, eachMs: 60_000 };

/** Mails with a link, for one address and for one network: enough for whoever looks in the wrong folder first. */
export const RESETS: GuessAllowance = { burst: 3, eachMs: 20 * 60_000 };
export const NETWORK_RESETS: GuessAllowance = { burst: 20, eachMs: 3 * 60_000 };
/** Mails with invitations, for one address and from one organisation: all of a team may come on one day. */
export const INVITATIONS: GuessAllowance = { burst: 3, eachMs: 20 * 60_000 };
export const ORGANIZATION_INVITATIONS: GuessAllowance = { burst: 200, eachMs: 5 * 60_000 };

/** Networks that are remembered of an account: the last ones. */
export const KNOWN_NETWORKS = 16;
export const KNOWN_DAYS = 90;

/** Hashes of strangers that wait: those behind them would wait for longer than clients do. */
export const MAX_WAITING = 1_000;
/** An office may come back all at once. Networks take turns, so none waits for the line of another. */
export const MAX_WAITING_OF_NETWORK = 200;
/** Attempts whose account is being looked for. */
export const MAX_LOOK_UPS = 1_000;
/** Entries of each memory. */
export const MAX_REMEMBERED = 10_000;

/** Lines of the log, for one network, that say once more what was said a moment ago: repeating costs who guesses nothing. */
export const REPEATED_LINES: GuessAllowance = { burst: 20, eachMs: 60_000 };

/** What a client is told to wait when there is no exact time. */
export const BUSY_SECONDS = 10;
