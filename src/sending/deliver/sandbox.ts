/**
 * The default provider. Sends nothing outside, stores the messages, and simulates the outcome that the local part of the recipient names
 * (docs/contract.md, Sandbox). A `+label` in the local part is ignored.
 */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { rowsOf } from '../../db/rows.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import type { AttemptReply, LaterStage, Outcome, OutboundMessage, Provider } from './provider.ts';

const REMOTE_MTA = 'sandbox.invalid';
const DELAYED_RETRY_MS = 5_000;

type Play = (recipient: string) => LaterStage;

const delivered: Play = (recipient) => ({
  type: 'delivered',
  detail: {
    recipient,
    remote_mta: REMOTE_MTA,
    smtp_code: 250,
    response: '250 2.0.0 delivered by the sandbox',
    tls: true,
  },
});

function bounced(
  type: 'hard' | 'soft',
  category: BounceCategory,
  code: number,
  enhanced: string,
  text: string,
): Play {
  return (recipient) => ({
    type: 'bounced',
    detail: {
      recipient,
      type,
      category,
      smtp_code: code,
      enhanced_code: enhanced,
      diagnostic: `${code} ${enhanced} ${text}`,
      remote_mta: REMOTE_MTA,
      suppressed: false,
      source: 'dsn',
    },
  });
}

const PERSON = { ip: '192.0.2.1', user_agent: 'Sandbox/1.0', is_machine: false };
const complained: Play = (recipient) => ({
  type: 'complained',
  detail: { recipient, feedback_type: 'abuse', reporting_mta: REMOTE_MTA },
});
const opened: Play = (recipient) => ({ type: 'opened', detail: { recipient, ...PERSON } });
const clicked: Play = (recipient) => ({
  type: 'clicked',
  detail: { recipient, url: 'https://example.com/', ...PERSON },
});

/** The simulated stages after `sent`, by local part. */
const LATER: ReadonlyMap<string, readonly Play[]> = new Map([
  ['bounced', [bounced('hard', 'unknown_user', 550, '5.1.1', 'no such user')]],
  ['soft-bounced', [bounced('soft', 'mailbox_full', 452, '4.2.2', 'mailbox full')]],
  ['complained', [delivered, complained]],
  ['opened', [delivered, opened]],
  ['clicked', [delivered, opened, clicked]],
]);

function reply(replyCode: number, enhancedCode: string, text: string): AttemptReply {
  return {
    replyCode,
    enhancedCode,
    text,
    remoteMta: REMOTE_MTA,
    tls: true,
    dialogue: null,
    isSimulated: true,
  };
}

/** The simulated outcome for an address. */
export function play(address: string, message: Pick<OutboundMessage, 'attempt' | 'messageId'>): Outcome {
  const local = (address.slice(0, address.lastIndexOf('@')).split('+')[0] ?? '').toLowerCase();
  if (local === 'failed')
    return { outcome: 'permanent', reply: reply(550, '5.7.1', 'rejected by the sandbox') };
  if (local === 'delayed' && message.attempt === 1) {
    return {
      outcome: 'transient',
      reply: reply(451, '4.7.1', 'try again later'),
      scope: 'message',
      retryAfterMs: DELAYED_RETRY_MS,
    };
  }
  return {
    outcome: 'accepted',
    reply: reply(250, '2.0.0', 'accepted by the sandbox'),
    providerMessageId: message.messageId,
    later: (LATER.get(local) ?? [delivered]).map((stage) => stage(address)),
  };
}

const MESSAGES = rowsOf<OutboundMessage>('m', {
  project_id: ['uuid', (message) => message.projectId],
  email_id: ['uuid', (message) => message.emailId],
  message: ['bytea', (message) => message.data],
});

export function createSandbox(database: Database): Provider {
  const kept = new GroupCommit<OutboundMessage, undefined>({
    flights: 1,
    maxItems: 100,
    maxBytes: 8 * 1024 * 1024,
    sizeOf: ({ data }) => data.length,
    flush: async (batch) => {
      await sql`
        insert into sandbox_messages (${MESSAGES.names}, created_at)
        select ${MESSAGES.values}, now()
        from ${MESSAGES.from(batch)}
        order by project_id, email_id
        on conflict do nothing`.execute(database);
      return batch.map(() => undefined);
    },
  });
  return {
    capacity: 100,
    isFinal: false,
    destinations: null,
    async send(message) {
      // Messages with a link that opens an account are not stored, to stop this attack: a person with a copy of the database reads the
      // link.
      if (message.isSealed !== true) await kept.add(message);
      return message.mayCommit() ? play(message.rcptTo, message) : { outcome: 'abandoned' };
    },
    async close() {},
  };
}
