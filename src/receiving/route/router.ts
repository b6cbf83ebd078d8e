/**
 * Finds the mailboxes that receive mail for an address. Called at every RCPT, so results are cached for a moment and look-ups are
 * batched.
 */
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { isOperatorAddress } from '../../domains/hosted.ts';
import { acceptsMail, locationOf, type MailDomains, needsMx } from '../../domains/mx/mail-claim.ts';
import type { MxWatch } from '../../domains/mx/mx-watch.ts';
import { isRole } from '../../mailboxes/local-part.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { noteFull } from '../../store/usage.ts';
import {
  findMailboxByKey,
  findMailboxes,
  type MatchingRoute,
  type RoutedMailbox,
  type RouteRecord,
} from './find-mailboxes.ts';
import { checkQuota, judgeQuotas, type QuotaRefusal } from './check-quota.ts';
import { type ReceivedAddress, readAddress } from './read-address.ts';

/** Cache time. For this long, the address of a new mailbox may still be rejected, and the address of a deleted mailbox accepted. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;
/**
 * The maximum number of concurrent look-ups. Attack: a flood of addresses that are not cached. With one look-up at a time, the flood
 * occupies only one database connection.
 */
const FLIGHTS = 1;
const MAX_BATCH = 200;

export interface RouterOptions extends MailDomains {
  database: Database;
  mxWatch: Pick<MxWatch, 'current' | 'ownHosts'>;
  /** The name of this server in lower-case A-labels. Mail for its postmaster goes to the operator. */
  hostname: string;
  /** The address that receives mail for the operator, or null. */
  postmaster: string | null;
  /** A monotonic clock, for tests. */
  nowMs?(): number;
}

/** A recipient for which the sender requested a report of success. */
export interface ReportedRecipient {
  /** The address of RCPT, without angle brackets. */
  forwardPath: string;
  /** The same address in normal form. */
  address: string;
  /** The decoded ORCPT. */
  originalRecipient: string | null;
}

/** A mailbox that gets the message. `address` is the recipient address that trace fields show. */
export interface RoutedRecipient {
  mailbox: RoutedMailbox;
  address: string;
  /** Whether the address is a return path of the mailbox, which is known only to recipients of its mail. */
  isReturnPath?: boolean;
  /**
   * Whether the mailbox gets the mail only because mail to the address must be accepted: an address of the operator, or `postmaster` or
   * `abuse` at `send.<domain>`. The address may be in no domain of the mailbox's project.
   */
  isFallback?: boolean;
  /** Whether the message is a delivery report on the mailbox's mail. A report is filed in the Inbox even if it looks like spam. */
  isReport?: boolean;
  /** The recipients of the message for which the sender requested a report of success. Absent: none. */
  reported?: readonly ReportedRecipient[];
  /** Whether the mailbox is full. If the message has no other recipient, a full mailbox still accepts a report that takes no space. */
  isFull?: boolean;
}

/** A route that gets the message. `address` is the recipient address that the route matched. */
export interface RouteRecipient extends MatchingRoute {
  address: string;
}

export type RecipientRoute =
  /** The mailboxes that get the message: several for an alias. The routes that get it too, or instead if there is no mailbox. */
  | { deliveries: readonly RoutedRecipient[]; routes?: readonly RouteRecipient[] }
  /** A `postmaster` or `abuse` address without a mailbox. Mail to it must be accepted, and goes to the operators (`operator-mail.ts`). */
  | { operators: string }
  /**
   * `noSuchRecipient`: the domain receives mail here, but has no such address. `notServedNow`: the domain was verified, but cannot be
   * served at the moment. `noRelay`: the domain does not receive mail here.
   */
  | { refusal: 'noSuchRecipient' | 'notServedNow' | 'noRelay' | QuotaRefusal };

type Refusal = Extract<RecipientRoute, { refusal: string }>;

/** The mailboxes and routes of an address: at least one, including full mailboxes. */
type RouteTarget =
  | (Omit<RoutedRecipient, 'mailbox'> & {
      mailboxes: readonly RoutedMailbox[];
      routes?: readonly MatchingRoute[];
    })
  | Extract<RecipientRoute, { operators: string }>
  | Refusal;

/** The cached result for an address. */
interface RouteMatch {
  acceptance: ReturnType<typeof acceptsMail>;
  /** Whether mail from this installation to the domain is delivered here. */
  isLocal: boolean;
  mailboxes: readonly RoutedMailbox[];
  routes: readonly MatchingRoute[];
}

const NOT_SERVED_NOW: Refusal = { refusal: 'notServedNow' };
const NO_RELAY: Refusal = { refusal: 'noRelay' };
const NO_SUCH_RECIPIENT: Refusal = { refusal: 'noSuchRecipient' };

export class Router {
  readonly #options: RouterOptions;
  readonly #cache: LoadingCache<RouteMatch>;
  readonly #lookUps: GroupCommit<ReceivedAddress, RouteRecord>;

  constructor(options: RouterOptions) {
    const { database, nowMs = () => performance.now() } = options;
    this.#options = options;
    this.#cache = new LoadingCache({ ttlMs: TTL_MS, maxEntries: MAX_ENTRIES, mayCache: () => true, nowMs });
    this.#lookUps = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      flush: (queries) => findMailboxes(database, options, queries),
    });
  }

  /**
   * Never accepts an address elsewhere, so that the server is no open relay (docs/operate/inbound.md, Who gets mail).
   * @param forwardPath the address of RCPT, without angle brackets and source route
   * @param size the size that MAIL declared, in octets (RFC 1870)
   */
  async route(forwardPath: string, size: number | null = null): Promise<RecipientRoute> {
    return this.#withSpace(await this.#route(forwardPath), size);
  }

  /**
   * Whether mail from this installation to the address would fail, because it is delivered here and `route` finds no such recipient. False
   * for a domain whose MX is elsewhere: its mailboxes may be there.
   * @param address in normal form
   */
  async isUnknown(address: string): Promise<boolean> {
    const parsed = readAddress(address);
    if (parsed === null || parsed === 'postmaster' || !(await this.#find(parsed)).isLocal) return false;
    const target = await this.#route(address);
    return 'refusal' in target && target.refusal === 'noSuchRecipient';
  }

  /**
   * Routes a return path. A full mailbox is not rejected: a report that only causes a notice takes no space.
   * @param forwardPath a verified return path of the mailbox
   */
  async routeBack(key: MailboxKey, forwardPath: string): Promise<RecipientRoute> {
    const { mailboxes } = await this.#cache.get(`back to ${key.projectId} ${key.mailboxId}`, async () => {
      const found = await findMailboxByKey(this.#options.database, key);
      return { acceptance: 'yes', isLocal: true, mailboxes: found === null ? [] : [found], routes: [] };
    });
    if (mailboxes.length === 0) return NO_SUCH_RECIPIENT;
    return {
      deliveries: mailboxes.map((mailbox) => ({
        mailbox,
        address: forwardPath,
        isReturnPath: true,
        isFull: checkQuota(mailbox.usage, null, clock.nowMs()) !== null,
      })),
    };
  }

  async #withSpace(target: RouteTarget, size: number | null): Promise<RecipientRoute> {
    if ('refusal' in target || 'operators' in target) return target;
    const { mailboxes, routes = [], ...rest } = target;
    const { withSpace, newlyFull, refusal } = judgeQuotas(mailboxes, size, clock.nowMs());
    // `fullSince` is also set in the cached mailbox, so that a process does not write the state again while the mailbox is cached.
    for (const mailbox of newlyFull) {
      await noteFull(this.#options.database, mailbox);
      mailbox.usage.fullSince = clock.now();
    }
    if (refusal !== null) return { refusal };
    return {
      deliveries: withSpace.map((mailbox) => ({ mailbox, ...rest })),
      routes: routesAt(routes, withSpace, rest.address),
    };
  }

  async #route(forwardPath: string): Promise<RouteTarget> {
    const parsed = readAddress(forwardPath);
    if (parsed === null) return NO_RELAY;
    if (parsed === 'postmaster') return this.#operator(forwardPath);
    const { address, domain, key } = parsed;
    const { hostname, hostedDomain } = this.#options;
    if (domain === hostname && isRole(key)) return this.#operator(address);
    const { mailboxes, routes, acceptance } = await this.#find(parsed);
    if (acceptance === 'later') return NOT_SERVED_NOW;
    const matching = routes.filter(({ tag }) => tag === null || tag === parsed.tag);
    if (mailboxes.length + matching.length > 0) return { mailboxes, routes: matching, address };
    if (domain === hostedDomain && isOperatorAddress(key)) return this.#operator(address);
    if (acceptance === 'no') return this.#ofReturnPaths(parsed);
    return isRole(key) ? this.#operator(address) : NO_SUCH_RECIPIENT;
  }

  /**
   * Reports are sent to `send.<domain>`. Mail to `postmaster` or `abuse` at that domain is routed as if it were sent to `<domain>`. No
   * other address exists at `send.<domain>`.
   */
  async #ofReturnPaths({ address, domain, key }: ReceivedAddress): Promise<RouteTarget> {
    const prefix = `${MAIL_FROM_LABEL}.`;
    if (!domain.startsWith(prefix)) return NO_RELAY;
    const { acceptance, mailboxes } = await this.#find({
      address,
      key,
      tag: null,
      domain: domain.slice(prefix.length),
    });
    if (acceptance !== 'yes') return acceptance === 'no' ? NO_RELAY : NOT_SERVED_NOW;
    if (!isRole(key)) return NO_SUCH_RECIPIENT;
    return mailboxes.length === 0 ? this.#operator(address) : { mailboxes, address, isFallback: true };
  }

  /**
   * The operator's mailbox. If the operator has no mailbox, `postmaster` and `abuse` are still accepted (RFC 5321, section 4.5.1), but the
   * operator's other names at the hosted domain are not.
   */
  async #operator(address: string): Promise<RouteTarget> {
    const { postmaster } = this.#options;
    const parsed = postmaster === null ? null : readAddress(postmaster);
    const found = parsed === null || parsed === 'postmaster' ? null : await this.#find(parsed);
    if (found !== null && found.mailboxes.length > 0)
      return { mailboxes: found.mailboxes, address, isFallback: true };
    const named = readAddress(address);
    const mustAccept = named === 'postmaster' || (named !== null && isRole(named.key));
    return mustAccept ? { operators: address } : NO_SUCH_RECIPIENT;
  }

  async #find(parsed: ReceivedAddress): Promise<RouteMatch> {
    return this.#cache.get(`${parsed.key}@${parsed.domain}`, async () =>
      this.#judge(await this.#lookUps.add(parsed)),
    );
  }

  /** Queries DNS outside the batched statement, so a slow name server does not delay other domains. */
  async #judge({ claim, mailboxes, routes }: RouteRecord): Promise<RouteMatch> {
    if (claim === null) return { acceptance: 'no', isLocal: false, mailboxes: [], routes: [] };
    const { mxWatch } = this.#options;
    const mx = needsMx(claim) ? await mxWatch.current(claim, claim.mx) : claim.mx;
    const acceptance = acceptsMail(claim, mx, mxWatch.ownHosts, clock.nowMs());
    const isLocal = locationOf(claim, mx, mxWatch.ownHosts) === 'here';
    return acceptance === 'yes'
      ? { acceptance, isLocal, mailboxes, routes }
      : { acceptance, isLocal, mailboxes: [], routes: [] };
  }
}

/** The routes that get a message for an address. The routes of a mailbox get it only if the mailbox does. */
export function routesAt(
  routes: readonly MatchingRoute[],
  mailboxes: readonly RoutedMailbox[],
  address: string,
): RouteRecipient[] {
  const ids = new Set(mailboxes.map(({ mailboxId }) => mailboxId));
  return routes.flatMap((route) =>
    route.mailboxId === null || ids.has(route.mailboxId) ? [{ ...route, address }] : [],
  );
}
