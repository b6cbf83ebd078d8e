/** Mail from outside in the name of a domain that this installation serves (docs/operate/spam.md, Mail in the name of your domains). */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { textArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { Networks } from '../../net/networks.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { type CheckedSenders, domainsAbove } from './senders.ts';
import type { SpamReason } from './verdict.ts';

export const OWN_DOMAIN_UNPROVEN: SpamReason = { rule: 'OWN_DOMAIN_UNPROVEN', weight: 4 };

/**
 * The condition that this installation serves the domain `d`. A domain that lost its records may be in use elsewhere.
 * @param trustsManualVerification whether claims that were verified by hand count as verified
 */
function isServed(trustsManualVerification: boolean): RawBuilder<unknown> {
  const isByHand = sql`exists (
    select from domains_verified_by_hand h where h.project_id = d.project_id and h.domain_id = d.id)`;
  return sql`(d.project_id = ${HOSTED_PROJECT_ID}::uuid or d.status in ('verified', 'warning')
    ${trustsManualVerification ? sql`or ${isByHand}` : sql``})`;
}

/** Whether this installation serves the domain of the author. */
export async function servesAuthor(database: Database, author: string): Promise<boolean> {
  const { rows } = await sql`
    select from domains d where d.name = any(${textArray(domainsAbove(author))}::text[]) and ${isServed(true)} limit 1`.execute(
    database,
  );
  return rows.length > 0;
}

export class OwnDomains {
  readonly #database: Database;
  readonly #trustsManualVerification: boolean;

  /** @param trustsManualVerification whether claims that were verified by hand count as verified. False in production */
  constructor(database: Database, trustsManualVerification: boolean) {
    this.#database = database;
    this.#trustsManualVerification = trustsManualVerification;
  }

  /**
   * The reason that follows if nothing proves that the message is from the domain of ours that it names as its author. If the domain publishes
   * DMARC, its policy decides instead. Mail through a trusted relay or a trusted forwarder is exempt.
   */
  async reasonsFor(
    { address, isOwn = false, isRelayed = false }: Pick<Arrival, 'address' | 'isOwn' | 'isRelayed'>,
    { claimed }: CheckedSenders,
    { dmarc, arc }: Pick<Authentication, 'dmarc' | 'arc'>,
  ): Promise<SpamReason[]> {
    const [author] = claimed;
    if (author === undefined || isOwn || isRelayed || dmarc.result !== 'none' || arc.result === 'pass')
      return [];
    const { rows } = await columnsOf({ sendsElsewhere: 'text[]' }).sql`
      select coalesce(x.sends_elsewhere, '{}') as sends_elsewhere from domains d
      left join domain_mx x on x.project_id = d.project_id and x.domain_id = d.id
      where d.name = any(${textArray(domainsAbove(author))}::text[]) and ${isServed(this.#trustsManualVerification)}`.execute(
      this.#database,
    );
    const isExpected = rows.some(({ sendsElsewhere }) => new Networks(sendsElsewhere).includes(address));
    return rows.length === 0 || isExpected ? [] : [OWN_DOMAIN_UNPROVEN];
  }
}
