/**
 * Mail to `postmaster` and `abuse` that no mailbox gets. It must be accepted (RFC 5321, section 4.5.1), so it is stored for
 * operators, who read it under System.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { MailFromOutside } from '../file/mail-from-outside.ts';

/** The limits on stored mail, to which no mailbox quota applies. Attack: anyone can send any amount of mail to these addresses. */
export const OPERATOR_MAIL_LIMITS = { messages: 1_000, octets: 100 * 1024 * 1024, days: 30 } as const;

/** The advisory lock under which messages are counted and added. */
const LOCK = 7_340_093;
/** The cache time of the count for RCPT. The limit is checked again when the message is stored. */
const COUNT_TTL_MS = 2_000;
const MAX_TEXT = 500;
/** PostgreSQL does not accept NUL in text. */
const NUL = '\0';

export interface OperatorMailUse {
  messages: number;
  octets: number;
}

export interface OperatorMailOptions {
  database: Database;
  facts: Pick<FactsReader, 'read'>;
}

export class OperatorInbox {
  readonly #options: OperatorMailOptions;
  #counted: { use: Promise<OperatorMailUse>; atMs: number } | null = null;

  constructor(options: OperatorMailOptions) {
    this.#options = options;
  }

  /**
   * @param size the size that MAIL declared, in octets; null if unknown
   * @throws if the database is unavailable
   */
  async hasSpace(size: number | null): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#counted === null || nowMs - this.#counted.atMs > COUNT_TTL_MS)
      this.#counted = { use: countOperatorMail(this.#options.database), atMs: nowMs };
    const counted = this.#counted;
    try {
      return fits(await counted.use, size ?? 1);
    } catch (error) {
      if (this.#counted === counted) this.#counted = null;
      throw error;
    }
  }

  /**
   * Resolves after the commit. The same bytes are stored once, however often they are sent.
   * @param recipients the addresses of RCPT
   * @throws if nothing was stored, or if the result is unknown
   */
  async keep(
    { raw, reversePath, address, helo }: Pick<MailFromOutside, 'raw' | 'reversePath' | 'address' | 'helo'>,
    recipients: readonly string[],
  ): Promise<'stored' | 'full'> {
    const { database, facts } = this.#options;
    const { subject, from } = await facts.read(raw);
    const author = from
      .map((one) => (one.name === '' ? one.address : `${one.name} <${one.address}>`))
      .join(', ');
    const digest = hash('sha256', raw, 'buffer');
    const named = recipients.map(shown);
    return database.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
      const { numAffectedRows = 0n } = await sql`
        update operator_mail set recipients = array(select distinct unnest(recipients || ${named}::text[]) order by 1)
        where digest = ${digest}`.execute(tx);
      if (numAffectedRows > 0n) return 'stored';
      if (!fits(await countOperatorMail(tx), raw.length)) return 'full';
      await tx
        .insertInto('operatorMail')
        .values({
          id: newUuid(),
          digest,
          recipients: named,
          reversePath: shown(reversePath),
          clientAddress: address,
          helo: shown(helo),
          author: shown(author),
          subject: shown(subject),
          octets: raw.length,
          raw,
        })
        .execute();
      return 'stored';
    });
  }
}

export async function countOperatorMail(database: Database): Promise<OperatorMailUse> {
  const { messages, octets } = await database
    .selectFrom('operatorMail')
    .select([
      sql<number>`count(*)::int`.as('messages'),
      sql<number>`coalesce(sum(octets), 0)::int`.as('octets'),
    ])
    .executeTakeFirstOrThrow();
  return { messages, octets };
}

/** Deletes messages older than 30 days. */
export async function* deletingOldOperatorMail(database: Database): AsyncGenerator<number, void, void> {
  const before = new Date(clock.nowMs() - OPERATOR_MAIL_LIMITS.days * DAY_MS);
  const { rows } = await columnsOf({ id: 'uuid' }).sql`
    delete from operator_mail where id < ${firstUuidAt(before)}::uuid returning id`.execute(database);
  yield rows.length;
}

function fits({ messages, octets }: OperatorMailUse, more: number): boolean {
  return messages < OPERATOR_MAIL_LIMITS.messages && octets + more <= OPERATOR_MAIL_LIMITS.octets;
}

function shown(text: string): string {
  return text.replaceAll(NUL, '').slice(0, MAX_TEXT).toWellFormed();
}
