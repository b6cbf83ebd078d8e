/** The limits on guesses, and on waiting and cached entries (docs/decisions/0049-signing-in.md). */

/** Allows `burst` guesses at once, and then one every `eachMs`. */
export interface GuessAllowance {
  burst: number;
  eachMs: number;
}

/** For one account, over all networks from which its owner never signed in: 288 guesses a day. */
export const STRANGERS: GuessAllowance = { burst: 20, eachMs: 5 * 60_000 };
/** For one account, for each network from which its owner has signed in. */
export const KNOWN: GuessAllowance = { burst: 20, eachMs: 5 * 60_000 };
/** For one network, over all accounts that have not used the network. Allows a whole office to sign in for the first time on one day. */
export const NETWORK: GuessAllowance = { burst: 50, eachMs: 60_000 };
/** For one wider network, which contains many networks. Attack: an attacker with a /48 of IPv6 has 65,536 networks. */
export const WIDER_NETWORK: GuessAllowance = { burst: 200, eachMs: 15_000 };

/** For a file link, per network, so that guesses from one network do not lock out visitors from another network. */
export const LINK_NETWORK: GuessAllowance = { burst: 20, eachMs: 5 * 60_000 };
/**
 * For a file link, over all networks. Beyond this limit, visitors must wait between attempts. Attack: ten or more networks guess the
 * password of one link.
 */
export const LINK: GuessAllowance = { burst: 200, eachMs: 60_000 };

/** Mails with a reset link to one address. Enough for a user who looks in the wrong folder first. */
export const RESETS: GuessAllowance = { burst: 3, eachMs: 20 * 60_000 };
/** Mails with a reset link that one network requests. */
export const NETWORK_RESETS: GuessAllowance = { burst: 20, eachMs: 3 * 60_000 };
/** Mails with an invitation to one address. */
export const INVITATIONS: GuessAllowance = { burst: 3, eachMs: 20 * 60_000 };
/** Mails with an invitation from one organization. Allows inviting a whole team on one day. */
export const ORGANIZATION_INVITATIONS: GuessAllowance = { burst: 200, eachMs: 5 * 60_000 };

/** Maximum number of recent networks that are stored for an account. */
export const KNOWN_NETWORKS = 16;
export const KNOWN_DAYS = 90;

/** Maximum number of passwords from unknown networks that wait to be hashed. If more passwords waited, clients would time out. */
export const MAX_WAITING = 1_000;
/**
 * Maximum number of passwords per network that wait to be hashed. Allows a whole office to sign in at once. Networks are served round-robin
 * and do not delay one another.
 */
export const MAX_WAITING_OF_NETWORK = 200;
/** Maximum number of sign-in attempts that wait for the look-up of an account. */
export const MAX_LOOK_UPS = 1_000;
/** Maximum number of entries in each cache. */
export const MAX_REMEMBERED = 10_000;

/**
 * Limits the log lines about repeated attempts, per network. An attacker could otherwise flood the log, because repeated attempts are
 * answered from memory and are therefore fast.
 */
export const REPEATED_LINES: GuessAllowance = { burst: 20, eachMs: 60_000 };

/** The retry delay that a client gets when the exact delay is unknown. */
export const BUSY_SECONDS = 10;
