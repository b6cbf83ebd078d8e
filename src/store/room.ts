/** What mailboxes have room for (docs/mailboxes.md, Quota). */
import { type RawBuilder, sql } from 'kysely';
import { rowsOf } from '../db/rows.ts';
import type { LockedMailbox } from './lock-mailboxes.ts';

/** In per cent of the quota; at each an owner is warned once, until it has less again. */
const WARNINGS = [95, 80];

/**
 * Looks what follows from what a locked mailbox holds now.
 * @param isRefused a message found no room
 */
export function noteRoom(mailbox: LockedMailbox, isRefused: boolean): void {
  const { octets, quotaOctets, warnedPercent, isFull } = mailbox;
  const percent = WARNINGS.find((at) => octets * 100 >= quotaOctets * at) ?? 0;
  if (percent > warnedPercent) mailbox.warningDue = true;
  if (percent === 0) mailbox.warningDue = false;
  mailbox.warnedPercent = percent;
  mailbox.isFull = isRefused || (isFull && percent === WARNINGS[0]);
}

const STATES = rowsOf<LockedMailbox>('s', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  octets: ['int8', ({ octets }) => octets],
  uid_validity: ['int8', ({ uidValidity }) => uidValidity],
  warned_percent: ['int2', ({ warnedPercent }) => warnedPercent],
  warning_due: ['bool', ({ warningDue }) => warningDue],
  is_full: ['bool', ({ isFull }) => isFull],
});

/** The CTE that writes the numbers of locked mailboxes. */
export function writingStates(mailboxes: readonly LockedMailbox[]): RawBuilder<unknown> {
  return sql`
    states as (
      update mailbox_states m set octets = s.octets, uid_validity = s.uid_validity, warned_percent = s.warned_percent,
        warning_due = s.warning_due, full_since = case when s.is_full then coalesce(m.full_since, now()) end
      from ${STATES.from(mailboxes)}
      where m.project_id = s.project_id and m.mailbox_id = s.mailbox_id
    )`;
}
