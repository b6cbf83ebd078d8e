/** Limits how many messages a sender may send to a route. */
import { sql } from 'kysely';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { organizationOf } from '../../domains/domain-name.ts';
import { widerNetwork } from '../../net/client-network.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { isSharedDomain } from '../spam/rules/mail-providers.ts';
import type { MatchingRoute } from './find-mailboxes.ts';

/** Messages per minute and sender. Messages above it are deferred, so a burst arrives late and nothing is lost. */
const PER_MINUTE = 20;
/** The time after which counted messages are written, so that a flood costs one write and not one for each message. */
const WRITE_AFTER_MS = 1_000;
const MAX_COUNTED = 1_000;

type RouteKey = Pick<MatchingRoute, 'projectId' | 'routeId'>;
type Deferrals = RouteKey & { count: number };

const DEFERRALS = rowsOf<Deferrals>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  route_id: ['uuid', ({ routeId }) => routeId],
  count: ['int4', ({ count }) => count],
});

export interface RouteLimitsOptions {
  database: Database;
  /** The number of processes that receive mail, which share the limit. */
  processes?: () => number;
  /** A monotonic clock, for tests. */
  nowMs?: () => number;
}

export class RouteLimits {
  readonly #database: Database;
  readonly #buckets: TokenBuckets;
  readonly #deferrals = new BoundedMap<string, Deferrals>(MAX_COUNTED);
  #timer: NodeJS.Timeout | null = null;

  constructor({ database, processes, nowMs = () => performance.now() }: RouteLimitsOptions) {
    this.#database = database;
    this.#buckets = new TokenBuckets(PER_MINUTE / 60, PER_MINUTE, nowMs, processes);
  }

  /**
   * Counts a message of a sender, and the deferral if the sender sends too many.
   * @param sender see `senderOf`
   * @returns whether the route may get the message now
   */
  take({ projectId, routeId }: RouteKey, sender: string): boolean {
    if (this.#buckets.take(`${routeId} ${sender}`).allowed) return true;
    const count = (this.#deferrals.get(routeId)?.count ?? 0) + 1;
    this.#deferrals.set(routeId, { projectId, routeId, count });
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // The numbers are for people. If the database is unavailable, they are lost.
      this.write().catch(() => {});
    }, WRITE_AFTER_MS).unref();
    return false;
  }

  /** Adds the counted deferrals to the routes. */
  async write(): Promise<void> {
    const deferrals = [...this.#deferrals.values()];
    this.#deferrals.clear();
    if (deferrals.length === 0) return;
    await sql`
      with locked as materialized (
        select r.project_id, r.id, k.count from ${DEFERRALS.from(deferrals)}
        join routes r on r.project_id = k.project_id and r.id = k.route_id
        -- In the order in which filing and the sender lock routes.
        order by r.project_id, r.id
        for no key update of r
      )
      update routes r set deferred = r.deferred + l.count, last_deferred_at = now()
      from locked l where r.project_id = l.project_id and r.id = l.id`.execute(this.#database);
  }
}

/**
 * The sender whose messages count together: the author's organization if SPF or DKIM confirms it, otherwise the client's network. The users
 * of a mail provider count separately. Attack: a sender invents a new author, or a new subdomain, for each message.
 */
export function senderOf(
  { dmarc, spf, dkim }: Authentication,
  { address, mailFrom }: Pick<Arrival, 'address' | 'mailFrom'>,
): string {
  const confirmed = [
    ...dkim.flatMap(({ result, domain }) => (result === 'pass' ? [domain] : [])),
    ...(spf.result === 'pass' ? [spf.domain] : []),
  ];
  const author = dmarc.domain === null ? null : organizationOf(dmarc.domain);
  if (author === null || !confirmed.some((domain) => organizationOf(domain) === author))
    return `from ${widerNetwork(address)}`;
  return isSharedDomain(author) ? `of ${author} by ${mailFrom.toLowerCase()}` : `of ${author}`;
}
