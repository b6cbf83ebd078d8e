/** Loads what an attempt needs in addition to the row in `due_deliveries`: the URL, the secrets and the content. */
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { storedEvent } from '../../contract/stored-event.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import type { Sealer } from '../../db/seal.ts';
import type { PayloadSource } from '../payload.ts';
import { isTracing } from '../../observe/spans.ts';
import { openSecrets, type SigningSecrets } from '../secret.ts';
import type { Load } from './delivery-queue.ts';
import { type ClaimedDelivery, type WebhookKey, WEBHOOKS } from './claim-deliveries.ts';
import * as clock from '../../model/clock.ts';

export interface LoadedDelivery {
  delivery: ClaimedDelivery;
  url: string;
  secrets: SigningSecrets;
  source: PayloadSource;
  /** W3C traceparent of the request that sent the email; null if the request was not traced. */
  traceParent: string | null;
}

/** @param onError called for a secret that cannot be unsealed */
export async function loadDeliveries(
  database: Database,
  sealer: Sealer,
  deliveries: readonly ClaimedDelivery[],
  onError: (webhook: { projectId: string; id: string }, error: unknown) => void,
): Promise<Load<ClaimedDelivery, LoadedDelivery>> {
  const [targets, sources, traceParents] = await Promise.all([
    loadTargets(database, deliveries),
    loadSources(database, deliveries),
    isTracing() ? loadTraceParents(database, deliveries) : NOT_TRACED,
  ]);
  const now = clock.now();
  const signers = new Map<string, { url: string; secrets: SigningSecrets | null }>();
  for (const target of targets) {
    let secrets: SigningSecrets | null = null;
    try {
      secrets = openSecrets(sealer, target, now);
    } catch (error) {
      onError(target, error);
    }
    signers.set(target.id, { url: target.url, secrets });
  }
  const load: Load<ClaimedDelivery, LoadedDelivery> = { loaded: [], withdrawn: [], unsendable: [] };
  for (const delivery of deliveries) {
    const signer = signers.get(delivery.webhookId);
    const source = sources.get(delivery.eventId);
    if (signer === undefined) load.withdrawn.push(delivery);
    else if (signer.secrets === null)
      load.unsendable.push({ delivery, error: 'the signing secret cannot be decrypted' });
    else if (source === undefined) load.unsendable.push({ delivery, error: 'the event is gone' });
    else {
      const traceParent = traceParents.get(source.emailId) ?? null;
      load.loaded.push({ delivery, url: signer.url, secrets: signer.secrets, source, traceParent });
    }
  }
  return load;
}

const TARGET = columnsOf({
  projectId: 'uuid',
  id: 'uuid',
  url: 'text',
  secretSealed: 'text',
  previousSecretSealed: 'text?',
  previousSecretUntil: 'timestamptz?',
});
type Target = RowOf<typeof TARGET>;

async function loadTargets(database: Database, deliveries: readonly WebhookKey[]): Promise<Target[]> {
  const webhooks = [...new Map(deliveries.map((delivery) => [delivery.webhookId, delivery])).values()];
  const { rows } = await TARGET.sql`
    select w.project_id, w.id, w.url, w.secret_sealed, w.previous_secret_sealed, w.previous_secret_until
    from ${WEBHOOKS.from(webhooks)}
    join webhooks w on w.project_id = k.project_id and w.id = k.webhook_id and w.enabled`.execute(database);
  return rows;
}

const NOT_TRACED: ReadonlyMap<string, string> = new Map();

/** The trace parents of the requests that sent the emails, by email id. Contains only traced emails. */
async function loadTraceParents(
  database: Database,
  events: readonly EventReference[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await columnsOf({ emailId: 'uuid', traceParent: 'text' }).sql`
    select distinct c.email_id, c.trace_parent
    from ${EVENTS.from(events)}
    join email_contents c on c.project_id = k.project_id and c.email_id = k.email_id and c.trace_parent is not null`.execute(
    database,
  );
  return new Map(rows.map((row) => [row.emailId, row.traceParent]));
}

/** Identifies the event of a delivery. */
export type EventReference = Pick<ClaimedDelivery, 'projectId' | 'emailId' | 'eventId'>;

/** References to events, as a relation with the alias `k`. */
export const EVENTS = rowsOf<EventReference>('k', {
  project_id: ['uuid', (event) => event.projectId],
  email_id: ['uuid', (event) => event.emailId],
  event_id: ['uuid', (event) => event.eventId],
});

/** The sources of event bodies, by event ID. Omits events that were deleted, or that belong to no email. */
export async function loadSources(
  database: Database,
  events: readonly EventReference[],
): Promise<Map<string, PayloadSource>> {
  // Several webhooks of a project may need the same event.
  const once = new Map<string, EventReference & { emailId: string }>();
  for (const { projectId, emailId, eventId } of events)
    if (emailId !== null) once.set(eventId, { projectId, emailId, eventId });
  const keys = [...once.values()];
  const { rows } = await SOURCE.sql`
    select e.id as event_id, e.type, e.recipient, e.detail,
           m.id as email_id, m.sender, m.to_list, m.subject, m.tags, sent.detail as sent
    from ${EVENTS.from(keys)}
    join events e on e.project_id = k.project_id and e.email_id = k.email_id and e.id = k.event_id
    join emails m on m.project_id = k.project_id and m.id = k.email_id
    left join lateral (
      -- The whole value: PostgreSQL stores JSON that it cannot take apart, such as a NUL, and one such event would fail them all.
      select s.detail from events s
      where s.project_id = k.project_id and s.email_id = k.email_id and s.type = 'sent' and s.id <= k.event_id
        and e.type not in ('queued', 'sending', 'sent')
      limit 1
    ) sent on true`.execute(database);
  return new Map(
    rows.map((row) => {
      const detail = row.type === 'sent' ? row.detail : row.sent;
      const known = detail === null ? null : storedEvent({ type: 'sent', detail }).detail;
      return [row.eventId, { ...storedEvent(row), providerMessageId: known?.provider_message_id ?? null }];
    }),
  );
}

const SOURCE = columnsOf({
  eventId: 'uuid',
  type: shaped<PayloadSource['type']>('text'),
  recipient: 'text?',
  detail: shaped<object | null>('json?'),
  emailId: 'uuid',
  sender: 'text',
  toList: 'text[]',
  subject: 'text',
  tags: 'text[]',
  /** The detail of the `sent` event that precedes this event; null if this event is `sent`. */
  sent: shaped<object | null>('json?'),
});
