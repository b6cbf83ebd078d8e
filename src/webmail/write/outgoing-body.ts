import type { Outgoing } from '../../contract/mail/outgoing.ts';
import { encodeId } from '../../model/ids.ts';
import { recipientsOf } from './draft-content.ts';
import type { DraftRow } from './draft-rows.ts';

export function outgoingBody({
  id,
  content,
  sendsAt,
  sentAt,
  savedAt,
  isScheduled,
  problem,
  objectId,
}: DraftRow): Outgoing {
  const isRefused = sendsAt === null && sentAt === null;
  return {
    id: encodeId('out', id),
    status: isRefused ? 'refused' : sentAt === null ? 'waiting' : 'sent',
    problem,
    draft: isRefused && objectId !== null ? encodeId('msg', objectId) : null,
    sends_at: (sendsAt ?? savedAt).toISOString(),
    is_scheduled: isScheduled,
    recipients: recipientsOf(content).length,
    subject: content.subject,
    to: content.to,
  };
}
