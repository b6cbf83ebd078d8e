import type { Database } from '../../../db/database.ts';
import type { MailboxKey } from '../../lock-mailboxes.ts';
import { findText } from '../../search/find-text.ts';
import type { MessagePart } from '../../search/message-parts.ts';
import { ID_OCTETS } from '../../search/object-ids.ts';
import { textTerms } from './wanted-messages.ts';
import type { MailTerm } from './parse-query.ts';

export interface Candidates {
  /** `object_id`, packed, some of them more than once; null: any message may be one. */
  ids: Buffer | null;
  /** Messages that the index of words does not have. */
  unindexed: number;
}

/** Which messages may have all texts of a search, by the index of words. */
export async function findCandidates(
  database: Database,
  mailbox: MailboxKey,
  terms: readonly MailTerm[],
  tick: () => void,
): Promise<Candidates> {
  const candidates: Candidates = { ids: null, unindexed: 0 };
  // The longest text is in the fewest messages.
  const texts = textTerms(terms)
    .filter(({ not }) => !not)
    .toSorted((a, b) => b.text.length - a.text.length);
  for (const { text, in: place } of texts) {
    if (candidates.ids?.length === 0) break;
    // All names and addresses are in the head.
    const parts: MessagePart[] = place === 'anywhere' ? ['head', 'body'] : ['head'];
    const found: Buffer[] = [];
    for (const part of parts) {
      const query = { part, needle: text, also: null, isRough: true };
      const { ids, unindexed } = await findText(database, mailbox, query, tick);
      found.push(ids);
      candidates.unindexed = Math.max(candidates.unindexed, unindexed);
    }
    const ids = Buffer.concat(found);
    candidates.ids = candidates.ids === null ? ids : inBoth(candidates.ids, ids);
  }
  return candidates;
}

function inBoth(one: Buffer, other: Buffer): Buffer {
  const there = new Set<string>();
  for (let at = 0; at < one.length; at += ID_OCTETS) there.add(one.toString('latin1', at, at + ID_OCTETS));
  const both: Buffer[] = [];
  for (let at = 0; at < other.length; at += ID_OCTETS)
    if (there.has(other.toString('latin1', at, at + ID_OCTETS)))
      both.push(other.subarray(at, at + ID_OCTETS));
  return Buffer.concat(both);
}
