/** Which mailboxes get mail to an address: asked at every RCPT, so it is remembered for a moment, and looked up in batches. */
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { isOperatorAddress } from '../../domains/hosted.ts';
import { type MailDomains, needsMx, takesMail } from '../../domains/mx/mail-claim.ts';
import type { MxWatch } from '../../domains/mx/mx-watch.ts';
import { isRole } from '../../mailboxes/local-part.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { noteFull } from '../../store/usage.ts';
import { type RouteRecord, findMailboxByKey, findMailboxes, type RoutedMailbox } from './find-mailboxes.ts';
import { checkQuota, judgeRooms, type QuotaRefusal } from './check-quota.ts';
import { type ReceivedAddress, readAddress } from './read-address.ts';

/** How long the address of a new mailbox can still be refused, and that of a deleted one taken. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;
/** Attack: a flood of addresses nobody asked for before. However many, one statement looks for them at a time. */
const FLIGHTS = 1;
const MAX_BATCH = 200;

export interface RouterOptions extends MailDomains {
  database: Database;
  mxWatch: Pick<MxWatch, 'current' | 'ours'>;
  /** A-labels, lower case: mail to its postmaster is the operator's. */
  hostname: string;
  /** The address of the mailbox that gets mail to the operator; null: there is none. */
  postmaster: string | null;
  /** For tests: a clock that never goes back. */
  nowMs?(): number;
}

/** `address` is the one that was asked for, as trace fields name it. */
export interface RoutedRecipient {
  mailbox: RoutedMailbox;
  address: string;
  /** The address is a return path of the mailbox: only who got mail from it knows the address. */
  isReturnPath?: boolean;
  /** A server says what became of such mail: the owner sees it, whatever it looks like. */
  isReport?: boolean;
  /** The mailbox has no room, and takes what needs none: what comes for it alone. */
  isFull?: boolean;
}

export type RecipientRoute =
  /** One, but for an alias, which leads to several. */
  | { deliveries: readonly RoutedRecipient[] }
  /** The address, which no mailbox has, and whose mail must be accepted: operators get it (`operators/operator-mail.ts`). */
  | { operators: string }
  /**
   * `noSuchRecipient`: at a domain that mail comes here for. `notServedNow`: at one that was verified, and cannot be served right now.
   * `noRelay`: anywhere else.
   */
  | { refusal: 'noSuchRecipient' | 'notServedNow' | 'noRelay' | QuotaRefusal };

type Refusal = Extract<RecipientRoute, { refusal: string }>;

/** Those whom an address leads to, at least one, whether they have room or not. */
type Reached =
  | (Omit<RoutedRecipient, 'mailbox'> & { mailboxes: readonly RoutedMailbox[] })
  | Extract<RecipientRoute, { operators: string }>
  | Refusal;

/** What is known of an address for a moment. */
interface RouteMatch {
  takes: ReturnType<typeof takesMail>;
  mailboxes: readonly RoutedMailbox[];
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
    this.#cache = new LoadingCache({ ttlMs: TTL_MS, maxEntries: MAX_ENTRIES, keeps: () => true, nowMs });
    this.#lookUps = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      flush: (asked) => findMailboxes(database, options, asked),
    });
  }

  /**
   * Never an address elsewhere: this is what keeps the server from relaying (docs/operate/inbound.md, Who gets mail).
   * @param forwardPath of RCPT, without brackets and without a source route
   * @param size that MAIL declared, in octets (RFC 1870)
   */
  async route(forwardPath: string, size: number | null = null): Promise<RecipientRoute> {
    return this.#withRoom(await this.#route(forwardPath), size);
  }

  /**
   * A mailbox without room is no refusal: it needs none for what its owner is told by a notice.
   * @param forwardPath a return path that was proved to be the mailbox's
   */
  async routeBack(key: MailboxKey, forwardPath: string): Promise<RecipientRoute> {
    const { mailboxes } = await this.#cache.get(`back to ${key.projectId} ${key.mailboxId}`, async () => {
      const found = await findMailboxByKey(this.#options.database, key);
      return { takes: 'yes', mailboxes: found === null ? [] : [found] };
    });
    if (mailboxes.length === 0) return NO_SUCH_RECIPIENT;
    return {
      deliveries: mailboxes.map((mailbox) => ({
        mailbox,
        address: forwardPath,
        isReturnPath: true,
        isFull: checkQuota(mailbox.room, null, clock.nowMs()) !== null,
      })),
    };
  }

  async #withRoom(reached: Reached, size: number | null): Promise<RecipientRoute> {
    if ('refusal' in reached || 'operators' in reached) return reached;
    const { mailboxes, ...asked } = reached;
    const { roomy, newlyFull, refusal } = judgeRooms(mailboxes, size, clock.nowMs());
    // It is remembered for a moment, so this is written a few times at most.
    for (const mailbox of newlyFull) {
      await noteFull(this.#options.database, mailbox);
      mailbox.room.fullSince = clock.now();
    }
    return refusal === null ? { deliveries: roomy.map((mailbox) => ({ mailbox, ...asked })) } : { refusal };
  }

  async #route(forwardPath: string): Promise<Reached> {
    const asked = readAddress(forwardPath);
    if (asked === null) return NO_RELAY;
    if (asked === 'postmaster') return this.#operator(forwardPath);
    const { address, domain, key } = asked;
    const { hostname, hostedDomain } = this.#options;
    if (domain === hostname && isRole(key)) return this.#operator(address);
    const { mailboxes, takes } = await this.#find(asked);
    if (takes === 'later') return NOT_SERVED_NOW;
    if (mailboxes.length > 0) return { mailboxes, address };
    if (domain === hostedDomain && isOperatorAddress(key)) return this.#operator(address);
    if (takes === 'no') return this.#ofReturnPaths(asked);
    return isRole(key) ? this.#operator(address) : NO_SUCH_RECIPIENT;
  }

  /** Reports come to `send.<domain>`: what is written to its postmaster goes to that of the domain, and nobody else is there. */
  async #ofReturnPaths({ address, domain, key }: ReceivedAddress): Promise<Reached> {
    const prefix = `${MAIL_FROM_LABEL}.`;
    if (!domain.startsWith(prefix)) return NO_RELAY;
    const { takes, mailboxes } = await this.#find({ address, key, domain: domain.slice(prefix.length) });
    if (takes !== 'yes') return takes === 'no' ? NO_RELAY : NOT_SERVED_NOW;
    if (!isRole(key)) return NO_SUCH_RECIPIENT;
    return mailboxes.length === 0 ? this.#operator(address) : { mailboxes, address };
  }

  /**
   * The mailbox of the operator. Where there is none, `postmaster` and `abuse` are accepted all the same (RFC 5321, section 4.5.1), and the other
   * names of the operator at the hosted domain are not.
   */
  async #operator(address: string): Promise<Reached> {
    const { postmaster } = this.#options;
    const asked = postmaster === null ? null : readAddress(postmaster);
    const found = asked === null || asked === 'postmaster' ? null : await this.#find(asked);
    if (found !== null && found.mailboxes.length > 0) return { mailboxes: found.mailboxes, address };
    const named = readAddress(address);
    const mustAccept = named === 'postmaster' || (named !== null && isRole(named.key));
    return mustAccept ? { operators: address } : NO_SUCH_RECIPIENT;
  }

  async #find(asked: ReceivedAddress): Promise<RouteMatch> {
    return this.#cache.get(`${asked.key}@${asked.domain}`, async () =>
      this.#judge(await this.#lookUps.add(asked)),
    );
  }

  /** DNS is asked outside of the statement for many addresses: a slow name server keeps no other domain waiting. */
  async #judge({ claim, mailboxes }: RouteRecord): Promise<RouteMatch> {
    if (claim === null) return { takes: 'no', mailboxes: [] };
    const { mxWatch } = this.#options;
    const mx = needsMx(claim) ? await mxWatch.current(claim, claim.mx) : claim.mx;
    const takes = takesMail(claim, mx, mxWatch.ours, clock.nowMs());
    return { takes, mailboxes: takes === 'yes' ? mailboxes : [] };
  }
}
