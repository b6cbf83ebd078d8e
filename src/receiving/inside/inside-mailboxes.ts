import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import { decidedLocality, type MailDomains, locationOf } from '../../domains/mx/mail-claim.ts';
import { bestHost } from '../../domains/mx/mx-state.ts';
import type { MxWatch } from '../../domains/mx/mx-watch.ts';
import { hostsOfClaim } from '../../domains/mx/record-mx.ts';
import * as clock from '../../model/clock.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { HandOver, MailboxesHere, MxElsewhere, LocalDestination } from '../../sending/deliver/inside.ts';
import type { OutboundMessage } from '../../sending/deliver/provider.ts';
import { noteFull } from '../../store/usage.ts';
import type { MessageFiler } from '../file/message-filer.ts';
import type { Filed } from '../file/message-filing.ts';
import {
  findMailboxes,
  type MatchingRoute,
  type RouteRecord,
  type RoutedMailbox,
} from '../route/find-mailboxes.ts';
import { judgeQuotas, type QuotaRefusal } from '../route/check-quota.ts';
import { type ReceivedAddress, readAddress } from '../route/read-address.ts';
import { routesAt } from '../route/router.ts';
import { sql } from 'kysely';
import { rowsOf } from '../../db/rows.ts';
import type { Arrival } from '../authenticate/authentication.ts';

/**
 * The original client of a message that one local mailbox forwards to another, for SPF. Only the domain of the return path is known.
 * Attack: if the forwarded message were examined as this instance's own mail, a message forged outside would count as genuine at the
 * second mailbox.
 */
type Origin = Pick<Arrival, 'address' | 'helo' | 'mailFrom'>;

const MAX_HEADER = 65_536;

/** The first match of each of these patterns is a field that this server wrote in front of the message (`trace-fields.ts`). */
const RECEIVED = /^Received: from (\S+) \((?:\S+ )?\[(?:IPv6:)?([0-9a-f.:]+)\]\)/m;

const RESULTS = /^Authentication-Results:([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)/m;

const MAIL_FROM = /;\s*spf=\w+ smtp\.mailfrom=([a-z0-9._-]+)/i;

const DOMAINS = rowsOf<string>('a', { domain: ['text', (domain) => domain] });

/** Cache time of look-ups. For this long, mail for the first mailbox of a domain may still be sent outside. */
const TTL_MS = 2_000;
const MAX_DOMAINS = 50_000;
const FLIGHTS = 2;
const MAX_BATCH = 200;

type Reply = Awaited<ReturnType<HandOver>>;

/** The replies that the SMTP listener would send for each result. */
const REPLIES: Readonly<Record<QuotaRefusal | Extract<Filed, string>, Reply>> = {
  accepted: { replyCode: 250, enhancedCode: '2.0.0', text: 'The message is in the mailbox' },
  mailboxFull: { replyCode: 452, enhancedCode: '4.2.2', text: 'The mailbox is full' },
  mailboxFullForLong: { replyCode: 552, enhancedCode: '5.2.2', text: 'The mailbox is full' },
  messageOverQuota: {
    replyCode: 552,
    enhancedCode: '5.2.3',
    text: 'The message is larger than the quota of the mailbox',
  },
  tooManyForRoute: {
    replyCode: 451,
    enhancedCode: '4.7.1',
    text: 'This sender sent too many messages to the address in a minute',
  },
  loop: { replyCode: 554, enhancedCode: '5.4.6', text: 'The message was already delivered to this mailbox' },
};

export interface InsideMailboxesOptions extends MailDomains {
  database: Database;
  hostname: string;
  mxWatch: Pick<MxWatch, 'current' | 'ownHosts'>;
  /** Created when the first message is delivered. */
  filer(): Promise<Pick<MessageFiler, 'file'>>;
}

/**
 * Delivers mail from this instance's projects to mailboxes of this instance. The rules are the same as for mail from outside, but the
 * mail never uses the network.
 */
export class InsideMailboxes implements MailboxesHere {
  readonly #options: InsideMailboxesOptions;
  readonly #domains: LoadingCache<boolean>;
  readonly #domainLookUps: GroupCommit<string, boolean>;
  readonly #lookUps: GroupCommit<ReceivedAddress, RouteRecord>;

  constructor(options: InsideMailboxesOptions) {
    const { database } = options;
    this.#options = options;
    this.#domains = new LoadingCache({
      ttlMs: TTL_MS,
      maxEntries: MAX_DOMAINS,
      // The cache also stores that a domain has no mailboxes here, which is the case for most mail.
      mayCache: () => true,
      nowMs: () => performance.now(),
    });
    this.#domainLookUps = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      flush: async (domains) => {
        const found = await findDomains(database, domains);
        return domains.map((domain) => found.has(domain));
      },
    });
    this.#lookUps = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      flush: (queries) => findMailboxes(database, options, queries),
    });
  }

  find(address: string): MaybePromise<LocalDestination | MxElsewhere | null> {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    const isHere = this.#domains.get(domain, () => this.#domainLookUps.add(domain));
    if (isHere === false) return null;
    return isHere instanceof Promise
      ? isHere.then((isThere) => (isThere ? this.#find(address) : null))
      : this.#find(address);
  }

  async #find(address: string): Promise<LocalDestination | MxElsewhere | null> {
    const read = readAddress(address);
    if (read === null || read === 'postmaster') return null;
    const { claim, mailboxes, routes } = await this.#lookUps.add(read);
    const matching = routes.filter(({ tag }) => tag === null || tag === read.tag);
    const first = mailboxes[0] ?? matching[0];
    if (claim === null || first === undefined) return null;
    const { mxWatch } = this.#options;
    const mx = decidedLocality(claim) === null ? await mxWatch.current(claim, claim.mx) : claim.mx;
    const location = locationOf(claim, mx, mxWatch.ownHosts);
    const ownHosts = hostsOfClaim(mxWatch.ownHosts, claim.gateways);
    if (location === 'moved')
      return {
        note: `The MX of ${claim.name} moved to ${bestHost(claim.name, mx.hosts ?? [])}, so the message is sent there`,
        ownHosts,
      };
    // If an operator turned local delivery off, the mail is meant to leave this instance, so no note is needed.
    if (location !== 'here') return decidedLocality(claim) === null ? { note: null, ownHosts } : null;
    // All mailboxes and routes of an address belong to one project.
    return {
      projectId: first.projectId,
      handOver: (message) => this.#handOver({ mailboxes, routes: matching }, read.address, message),
    };
  }

  async #handOver(
    { mailboxes, routes }: { mailboxes: readonly RoutedMailbox[]; routes: readonly MatchingRoute[] },
    address: string,
    message: OutboundMessage,
  ): Promise<Reply> {
    const { database, hostname } = this.#options;
    const { withSpace, newlyFull, refusal } = judgeQuotas(mailboxes, message.data.length, clock.nowMs());
    for (const mailbox of newlyFull) await noteFull(database, mailbox);
    if (refusal !== null) return REPLIES[refusal];
    const origin = originOf(message);
    const mail = {
      address: '127.0.0.1',
      helo: hostname,
      isExtended: true,
      tls: null,
      reversePath: message.mailFrom,
      isUtf8: message.smtputf8,
      raw: message.data,
      isOwn: origin === null,
      isForwarded: message.isForwarded === true,
      isService: message.isService === true,
      ...(origin !== null && { origin }),
      ...((origin === null || message.isRedirect === true) && { senderProjectId: message.projectId }),
      // A second attempt stores no second copy, for example after a process was killed before it committed the outcome.
      // protection: one copy of each email
      objectId: message.emailId,
    };
    const deliveries = withSpace.map((mailbox) => ({ mailbox, address }));
    const filer = await this.#options.filer();
    const filed = await filer.file(mail, deliveries, false, routesAt(routes, withSpace, address));
    if (typeof filed === 'string') return REPLIES[filed];
    const [, enhancedCode = '5.7.1', text = filed.refused] =
      /^(\d\.\d+\.\d+) (.*)$/s.exec(filed.refused) ?? [];
    return { replyCode: 550, enhancedCode, text };
  }
}

/** Returns which of these domains have a mailbox, an alias or a route here. */
async function findDomains(database: Database, domains: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ domain: string }>`
    select distinct a.domain from ${DOMAINS.from(domains)} join domains d on d.name = a.domain
    where exists (select from mailboxes m where m.domain_id = d.id) or exists (select from aliases l where l.domain_id = d.id)
      or exists (select from routes r where r.domain_id = d.id)`.execute(database);
  return new Set(rows.map(({ domain }) => domain));
}

/** @returns null if a project of this instance sent the message */
function originOf({ isForwarded, isRedirect, data }: OutboundMessage): Origin | null {
  // Attack: a user redirects a message to a colleague and writes a Received field that names the servers of a bank.
  if (isRedirect === true) return { address: '', helo: '', mailFrom: '' };
  return isForwarded === true ? readOrigin(data) : null;
}

function readOrigin(message: Buffer): Origin | null {
  const header = message.toString('latin1', 0, MAX_HEADER);
  const results = RESULTS.exec(header)?.[1] ?? '';
  if (/;\s*auth=pass\b/.test(results)) return null;
  const [, helo = '', address = ''] = RECEIVED.exec(header) ?? [];
  const domain = MAIL_FROM.exec(results)?.[1];
  return { address, helo, mailFrom: domain === undefined ? '' : `postmaster@${domain}` };
}
