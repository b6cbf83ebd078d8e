/** Decides whether a domain's MX records point to this installation. Pure. */
import type { MxRecord } from '../../net/dns.ts';
import { HOUR_MS } from '../../model/day.ts';

const MINUTE_MS = 60_000;
/** A delivery that finds an older answer queries DNS again first. */
const FRESH_MS = HOUR_MS;
/** The minimum delay between a failed query and the next. */
const RETRY_MS = MINUTE_MS;
/**
 * Mail is delivered here until two answers at least this far apart say that the MX is elsewhere. While a zone is being edited, its MX may
 * be elsewhere for a moment.
 */
const MOVE_MS = 10 * MINUTE_MS;

/** The state of a claim's MX records, as far as it is known: a row of `domain_mx`. "Here" means that they point to this installation. */
export interface MxState {
  /** The hosts in the last definite answer; empty if the domain has no MX records. Null before the first definite answer. */
  hosts: readonly MxRecord[] | null;
  /** The time of the last query, with or without an answer. */
  askedAt: Date | null;
  /** The time of the last definite answer. */
  answeredAt: Date | null;
  /** The time of the last answer in which the MX was here. */
  hereAt: Date | null;
  /** The time of the first answer after `hereAt` in which the MX was elsewhere. */
  elsewhereSince: Date | null;
}

export const UNKNOWN_MX: MxState = {
  hosts: null,
  askedAt: null,
  answeredAt: null,
  hereAt: null,
  elsewhereSince: null,
};

/**
 * Whether MX records point here: a record names one of our hosts, and no other host has a lower preference value (RFC 5321, section 5.1).
 * @param hosts the MX records in any order; if empty, the domain itself receives its mail (RFC 5321, section 5.1)
 * @param ownHosts the hosts of this installation, and gateways that an operator configured for the domain: lower case, without a trailing
 * dot
 */
export function pointsHere(
  domain: string,
  hosts: readonly MxRecord[],
  ownHosts: ReadonlySet<string>,
): boolean {
  if (hosts.length === 0) return ownHosts.has(domain);
  const best = (isOurs: boolean) =>
    Math.min(
      ...hosts.filter(({ exchange }) => ownHosts.has(exchange) === isOurs).map(({ priority }) => priority),
    );
  return best(true) < Infinity && best(true) <= best(false);
}

/** The state after a definite answer. */
export function mxStateAfter(
  before: MxState,
  hosts: readonly MxRecord[],
  isHere: boolean,
  now: Date,
): MxState {
  return {
    hosts,
    askedAt: now,
    answeredAt: now,
    hereAt: isHere ? now : before.hereAt,
    elsewhereSince: isHere ? null : (before.elsewhereSince ?? now),
  };
}

export type MailLocation = 'here' | 'moved' | 'elsewhere' | 'unknown';

/**
 * `moved`: the MX was here before, and two answers at least ten minutes apart say that the MX is elsewhere now. `elsewhere`: the MX was
 * never here. `unknown`: DNS has not answered yet.
 */
export function locationByMx(domain: string, state: MxState, ownHosts: ReadonlySet<string>): MailLocation {
  if (state.hosts === null) return 'unknown';
  if (pointsHere(domain, state.hosts, ownHosts)) return 'here';
  if (state.hereAt === null) return 'elsewhere';
  return hasMoved(state) ? 'moved' : 'here';
}

function hasMoved({ elsewhereSince, answeredAt }: MxState): boolean {
  return (
    elsewhereSince !== null &&
    answeredAt !== null &&
    answeredAt.getTime() - elsewhereSince.getTime() >= MOVE_MS
  );
}

/** Whether DNS must be queried again before the state is used. */
export function isDue(state: MxState, nowMs: number): boolean {
  const { askedAt, answeredAt, hereAt, elsewhereSince } = state;
  if (askedAt === null) return true;
  if (answeredAt === null || askedAt > answeredAt) return nowMs - askedAt.getTime() >= RETRY_MS;
  if (hereAt !== null && elsewhereSince !== null && !hasMoved(state))
    return nowMs - elsewhereSince.getTime() >= MOVE_MS;
  return nowMs - answeredAt.getTime() >= FRESH_MS;
}

/** The host that receives the domain's mail, for display. */
export function bestHost(domain: string, hosts: readonly MxRecord[]): string {
  const [first] = hosts.toSorted((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1));
  return first?.exchange ?? domain;
}
