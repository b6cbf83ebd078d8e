/** Whether the mail of a domain comes to this installation, as its MX records say. Pure. */
import type { MxRecord } from '../../net/dns.ts';
import { HOUR_MS } from '../../model/day.ts';

const MINUTE_MS = 60_000;
/** A definite answer is asked for again before a delivery when it is older. */
const FRESH_MS = HOUR_MS;
/** A query that failed is not repeated sooner. */
const RETRY_MS = MINUTE_MS;
/** Mail stays here until two answers this far apart agree that the MX is elsewhere: a zone that is edited may look so for a moment. */
const MOVE_MS = 10 * MINUTE_MS;

/** What is known of the MX records of a claim: a row of `domain_mx`. */
export interface MxState {
  /** Of the last definite answer; empty: the domain has no MX records. Null: there was no definite answer yet. */
  hosts: readonly MxRecord[] | null;
  /** The last query, answered or not. */
  askedAt: Date | null;
  /** The last definite answer. */
  answeredAt: Date | null;
  /** The last answer by which mail comes here. */
  hereAt: Date | null;
  /** The first of the answers since then by which it goes elsewhere. */
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
 * Whether MX records lead here: one of them names one of our hosts, and no other host has a lower preference value (RFC 5321, section 5.1).
 * @param hosts as DNS has them, in any order; none: the domain itself takes its mail (RFC 5321, section 5.1)
 * @param ours names of this installation, and gateways that an operator named for the domain: lower case, without a trailing dot
 */
export function leadsHere(domain: string, hosts: readonly MxRecord[], ours: ReadonlySet<string>): boolean {
  if (hosts.length === 0) return ours.has(domain);
  const best = (isOurs: boolean) =>
    Math.min(
      ...hosts.filter(({ exchange }) => ours.has(exchange) === isOurs).map(({ priority }) => priority),
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

export type MxStanding = 'here' | 'moved' | 'elsewhere' | 'unknown';

/**
 * `moved`: mail came here before, and two answers at least ten minutes apart say that it goes elsewhere. `elsewhere`: it never came here.
 * `unknown`: DNS has not answered yet.
 */
export function mxStanding(domain: string, state: MxState, ours: ReadonlySet<string>): MxStanding {
  if (state.hosts === null) return 'unknown';
  if (leadsHere(domain, state.hosts, ours)) return 'here';
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

/** Whether DNS is asked again before the state is relied on. */
export function isDue(state: MxState, nowMs: number): boolean {
  const { askedAt, answeredAt, hereAt, elsewhereSince } = state;
  if (askedAt === null) return true;
  if (answeredAt === null || askedAt > answeredAt) return nowMs - askedAt.getTime() >= RETRY_MS;
  if (hereAt !== null && elsewhereSince !== null && !hasMoved(state))
    return nowMs - elsewhereSince.getTime() >= MOVE_MS;
  return nowMs - answeredAt.getTime() >= FRESH_MS;
}

/** The host that mail for the domain goes to, for people. */
export function bestHost(domain: string, hosts: readonly MxRecord[]): string {
  const [first] = hosts.toSorted((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1));
  return first?.exchange ?? domain;
}
