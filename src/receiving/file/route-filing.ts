/** Files one message for routes (docs/routes.md), in the transaction that files it in mailboxes. */
import { hash, randomBytes } from 'node:crypto';
import { type PreparedBlob, writingBlobs } from '../../blobs/prepared-blob.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import type { Plan } from '../../model/plans.ts';
import { LOOP_FIELD, ROUTE_KEEP_DAYS } from '../../model/routes.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import { notifyChanged } from '../../store/notices.ts';
import { lockingLimited, limitsOf, readStorageLeft } from '../../store/plan-storage.ts';
import type { MatchingRoute } from '../route/find-mailboxes.ts';
import { type RouteLimits, senderOf } from '../route/route-limits.ts';
import type { RouteRecipient } from '../route/router.ts';
import type { SpamVerdict } from '../spam/verdict.ts';
import type { Copies, Copy } from './copies.ts';
import type { Judged } from './judge.ts';
import { isLoop } from './loops.ts';
import type { ExaminedMessage } from './examined-message.ts';

/** A message with more `Received` fields than this loops. Mail of programs passes few servers, so the limit is lower than for mailboxes. */
const MAX_HOPS = 30;
const PASSED = new RegExp(`^${LOOP_FIELD}[ \\t]*:([^\\r\\n]*)`, 'gim');
const MAX_SHOWN = 500;
const MAX_HEADER_OCTETS = 1024 * 1024;
/** PostgreSQL does not accept NUL in text. */
const NUL = '\0';

/** A route, with the recipients that it matched. */
interface Target extends MatchingRoute {
  addresses: string[];
}

/** A message to store for a route. */
interface RouteCopy extends Target {
  id: string;
  blob: PreparedBlob;
  verdict: SpamVerdict;
  facts: MessageFacts;
}

/** `noRoute`: the route was deleted in the meantime, or its mailbox got no copy. `full`: the project has no storage left. */
type Outcome = 'stored' | 'noRoute' | 'full';

interface Row extends RouteCopy {
  message: ExaminedMessage;
  dedupe: Buffer;
}

const ROWS = rowsOf<Row>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  route_id: ['uuid', ({ routeId }) => routeId],
  id: ['uuid', ({ id }) => id],
  dedupe: ['bytea', ({ dedupe }) => dedupe],
  digest: ['bytea', ({ blob }) => blob.digest],
  octets: ['int4', ({ blob }) => blob.size],
  reverse_path: ['text', ({ message }) => message.mail.reversePath.replaceAll(NUL, '')],
  recipients: ['text[]', ({ addresses }) => addresses],
  client_address: ['text', ({ message }) => message.mail.address],
  helo: ['text', ({ message }) => shown(message.mail.helo)],
  author: ['text', ({ facts }) => shown(facts.from.map(({ address }) => address).join(', '))],
  subject: ['text', ({ facts }) => shown(facts.subject)],
  authentication: ['json', ({ message }) => authenticationOf(message)],
  spam: ['json', ({ verdict }) => verdict],
});

const LIMITED = columnsOf({ id: 'uuid', plan: shaped<Plan>('text') });
const FOUND = columnsOf({ routeId: 'uuid' });

export class RouteFiling {
  #targets: readonly Target[];
  #copies: readonly RouteCopy[] = [];
  #outcomes: Outcome[] = [];
  readonly #message: ExaminedMessage;

  constructor(message: ExaminedMessage, recipients: readonly RouteRecipient[]) {
    this.#message = message;
    this.#targets = onePerRoute(recipients);
  }

  get isEmpty(): boolean {
    return this.#targets.length === 0;
  }

  get addresses(): string[] {
    return this.#targets.flatMap(({ addresses }) => addresses);
  }

  /** Whether a route gets the message that no mailbox gets for it. */
  get hasOwn(): boolean {
    return this.#targets.some(({ mailboxId }) => mailboxId === null);
  }

  /** Whether a route has the message. */
  get isStored(): boolean {
    return this.#outcomes.includes('stored');
  }

  get isFull(): boolean {
    return this.#outcomes.includes('full');
  }

  /**
   * Leaves out routes that the message already passed, and counts it for the sender. Routes of mailboxes count nothing, because mail of
   * people does not wait for programs.
   * @param isOnly whether the message can still be rejected, because no mailbox gets it and nothing else accepted it
   */
  admit(limits: Pick<RouteLimits, 'take'>, isOnly: boolean): 'loop' | 'tooManyForRoute' | null {
    const { hops, mail, examination, origin } = this.#message;
    if (this.isEmpty) return null;
    const passed = passedRoutes(mail.raw);
    this.#targets = this.#targets.filter(
      ({ routeId, addresses }) =>
        hops.received <= MAX_HOPS &&
        !passed.has(encodeId('rt', routeId)) &&
        !addresses.some((address) => isLoop(hops, address)),
    );
    if (this.isEmpty) return isOnly ? 'loop' : null;
    const sender =
      mail.senderProjectId === undefined
        ? senderOf(examination.authentication, origin)
        : `project ${mail.senderProjectId}`;
    const isWithin = this.#targets.map((target) => target.mailboxId !== null || limits.take(target, sender));
    return isWithin.every(Boolean) ? null : 'tooManyForRoute';
  }

  /** Prepares the copies. @param judged the mailboxes that get the message */
  async prepare(copies: Copies, judged: readonly Judged[]): Promise<void> {
    const prepared: RouteCopy[] = [];
    for (const target of this.#targets) {
      const copied = await this.#copyFor(target, copies, judged);
      if (copied !== null) prepared.push({ ...target, ...copied, id: newUuid() });
    }
    this.#copies = prepared;
  }

  async #copyFor(
    { projectId, routeId, mailboxId }: Target,
    copies: Copies,
    judged: readonly Judged[],
  ): Promise<(Copy & { verdict: SpamVerdict }) | null> {
    if (mailboxId !== null) {
      const of = judged.find(({ recipient }) => recipient.mailbox.mailboxId === mailboxId);
      // A mailbox that refuses the message only gets it because another recipient accepts it.
      if (of === undefined || of.refusal !== null) return null;
      return { ...(await copies.of({ ...of.recipient, verdict: of.verdict })), verdict: of.verdict };
    }
    // No mailbox has learned anything, so the id of the route stands for one.
    const key = { projectId, mailboxId: routeId, spamLevel: 'medium' as const };
    const verdict = (await this.#message.examination.verdictsFor([key]))(key);
    return { ...(await copies.of({ mailbox: key, verdict })), verdict };
  }

  /** The facts of the message, if a route gets it. */
  get facts(): MessageFacts | undefined {
    return this.#copies[0]?.facts;
  }

  /** Leaves out all routes: mail of the service is never passed to programs. */
  withdraw(): void {
    this.#targets = [];
    this.#copies = [];
  }

  /**
   * Begins to store the copies: locks the projects whose plan limits storage, which must happen before mailboxes are locked.
   * @param mayExceed whether the message can no longer be rejected
   * @returns a function that stores the copies, except those for the mailboxes that got no copy
   */
  async storing(
    tx: DatabaseTransaction,
    mayExceed: boolean,
  ): Promise<(withoutCopy: ReadonlySet<string>) => Promise<void>> {
    const left = await storageLeft(tx, new Set(this.#copies.map(({ projectId }) => projectId)));
    return async (withoutCopy) => {
      const rows: Row[] = [];
      const outcomes = this.#copies.map((copy): Outcome => {
        const { projectId, mailboxId, blob } = copy;
        if (mailboxId !== null && withoutCopy.has(mailboxId)) return 'noRoute';
        const free = left.get(projectId) ?? Number.POSITIVE_INFINITY;
        if (mailboxId === null && free < blob.size && !mayExceed) return 'full';
        left.set(projectId, free - blob.size);
        rows.push({ ...copy, message: this.#message, dedupe: dedupeOf(this.#message, copy.addresses) });
        return 'stored';
      });
      const found = rows.length === 0 ? new Set() : await insert(tx, rows);
      this.#outcomes = outcomes.map((outcome, at) =>
        outcome === 'stored' && !found.has(this.#copies[at]?.routeId) ? 'noRoute' : outcome,
      );
    };
  }

  /** The stored copies. */
  get stored(): readonly RouteCopy[] {
    return this.#copies.filter((_, at) => this.#outcomes[at] === 'stored');
  }
}

/** A route gets one copy, which names all recipients that the route matched. */
function onePerRoute(recipients: readonly RouteRecipient[]): Target[] {
  const byRoute = Map.groupBy(recipients, ({ routeId }) => routeId);
  return [...byRoute.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { address, ...route } = first;
    return [{ ...route, addresses: [...new Set([address, ...others.map((one) => one.address)])] }];
  });
}

/** The ids of the routes that a message already passed. */
function passedRoutes(raw: Buffer): ReadonlySet<string> {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.toString('latin1', 0, Math.min(end === -1 ? raw.length : end, MAX_HEADER_OCTETS));
  return new Set(Array.from(header.matchAll(PASSED), ([, id = '']) => id.trim()));
}

/**
 * The same value for a message that is received again for the same recipients. The bytes of a message with a Message-ID are not sent twice
 * on purpose; other messages may be. A route on a domain gets a message once for each recipient if the sender sends it to each separately.
 */
function dedupeOf({ mail, hops }: ExaminedMessage, addresses: readonly string[]): Buffer {
  if (mail.objectId === undefined && !hops.hasMessageId) return randomBytes(32);
  const message = mail.objectId ?? hash('sha256', mail.raw);
  return hash('sha256', [message, ...addresses.toSorted()].join('\n'), 'buffer');
}

/** @returns free bytes by project; projects without a limit are missing */
async function storageLeft(
  tx: DatabaseTransaction,
  projectIds: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const limited = lockingLimited(projectIds);
  const { rows } = await LIMITED.sql`
    with ${limited.sql} select id, plan from ${limited.name}`.execute(tx);
  return readStorageLeft(tx, limitsOf(rows.map(({ id, plan }) => [id, plan])));
}

/**
 * Writes the messages, their blobs, and their part in the storage of the projects. A message that its route already has is not written
 * again.
 * @returns the routes that exist
 */
async function insert(tx: DatabaseTransaction, rows: readonly Row[]): Promise<Set<string>> {
  const { rows: found } = await FOUND.sql`
    with ${writingBlobs(rows.map(({ blob }) => blob)).sql}, found as (
      select k.*, r.url from ${ROWS.from(rows)} join routes r on r.project_id = k.project_id and r.id = k.route_id
    ), inserted as (
      insert into route_messages (${ROWS.names}, status, next_attempt_at, expires_at)
      select ${ROWS.values}, case when k.url is null then 'stored' else 'pending' end, now(),
             now() + ${ROUTE_KEEP_DAYS}::int * interval '1 day'
      from found k
      -- In one order, because each route is locked until the commit.
      order by k.project_id, k.route_id
      on conflict (project_id, route_id, dedupe) do nothing
      returning project_id, octets
    ), metered as (
      insert into storage_changes (project_id, id, bytes)
      select project_id, gen_random_uuid(), sum(octets) from inserted group by project_id
    )
    select route_id from found`.execute(tx);
  return new Set(found.map(({ routeId }) => routeId));
}

/** Wakes the programs that wait for messages of routes. A lost notice does no harm: they also poll. */
export function notifyRoutes(database: Database, stored: readonly Pick<RouteCopy, 'routeId'>[]): void {
  const changed = stored.map(({ routeId }) => `${routeId}/${routeId}`);
  notifyChanged(database, changed).catch(() => {});
}

/** The results of sender authentication without the field, which the message itself has. */
function authenticationOf({ examination }: ExaminedMessage): object {
  const { header: _, ...authentication } = examination.authentication;
  return authentication;
}

function shown(text: string): string {
  return text.replaceAll(NUL, '').slice(0, MAX_SHOWN).toWellFormed();
}
