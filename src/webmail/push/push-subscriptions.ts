/** The subscription of a browser: each session of a mailbox has at most one, and it ends with the session. */
import { sql } from 'kysely';
import type { WebSession } from '../../accounts/calls.ts';
import type { PushSettings, PushSubscribe, PushTest } from '../../contract/mail/push.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import type { Sealer } from '../../db/seal.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { Environment } from '../../webhooks/check-url.ts';
import { type PushClientOptions, sendPush } from './push-client.ts';
import type { PushKey } from './push-key.ts';
import { openTarget, parseTarget, sealTarget } from './push-target.ts';
import { TIMINGS } from './timings.ts';

export interface PushSubscriptionsOptions extends PushClientOptions {
  database: Database;
  sealer: Sealer;
  key: Pick<PushKey, 'read'>;
  environment: Environment;
}

type Session = Pick<WebSession, 'projectId' | 'mailboxId' | 'sessionId' | 'address'>;

const TESTED = columnsOf({ targetSealed: 'text', vapidKey: 'text', unread: 'int4' });

export class PushSubscriptions {
  readonly #options: PushSubscriptionsOptions;

  constructor(options: PushSubscriptionsOptions) {
    this.#options = options;
  }

  async read({ projectId, mailboxId, sessionId }: Session): Promise<PushSettings> {
    const { publicKey } = await this.#options.key.read();
    const row = await this.#options.database
      .selectFrom('pushSubscriptions')
      .select(['withContent', 'vapidKey'])
      .where((found) => rowIs(found, { projectId, mailboxId, sessionId }))
      .executeTakeFirst();
    // A subscription with a key that was replaced gets nothing, so it counts as none, and the page subscribes again.
    const isCurrent = row?.vapidKey === publicKey;
    return { public_key: publicKey, content: isCurrent ? (row.withContent ? 'content' : 'bare') : null };
  }

  /** @throws AppError validation-failed; not-signed-in if the session ended meanwhile */
  async subscribe({ projectId, mailboxId, sessionId }: Session, wanted: PushSubscribe): Promise<void> {
    const { database, sealer, key, environment } = this.#options;
    const target = parseTarget(wanted, environment);
    const { publicKey } = await key.read();
    if (wanted.public_key !== publicKey)
      throw validationError({ public_key: 'is no longer the key of this installation: subscribe again' });
    // The session is locked, so that a session that is just ending cannot leave a subscription behind. Only later mail is reported.
    const { numAffectedRows } = await sql`
      insert into push_subscriptions (project_id, mailbox_id, session_id, target_sealed, vapid_key, with_content,
        notified_uid, next_at, created_at)
      select w.project_id, w.mailbox_id, w.id, ${sealTarget(sealer, sessionId, target)}, ${publicKey},
        ${wanted.content === 'content'}, coalesce((
          select f.uid_next from folders f
          where f.project_id = w.project_id and f.mailbox_id = w.mailbox_id and f.role = 'inbox'), 1), now(), now()
      from web_sessions w
      where w.project_id = ${projectId} and w.mailbox_id = ${mailboxId} and w.id = ${sessionId} for key share of w
      on conflict (project_id, mailbox_id, session_id) do update set target_sealed = excluded.target_sealed,
        vapid_key = excluded.vapid_key, with_content = excluded.with_content, attempts = 0`.execute(database);
    if (numAffectedRows !== 1n) throw new AppError('not-signed-in', 'The session has ended.');
  }

  async unsubscribe({ projectId, mailboxId, sessionId }: Session): Promise<void> {
    await this.#options.database
      .deleteFrom('pushSubscriptions')
      .where((row) => rowIs(row, { projectId, mailboxId, sessionId }))
      .execute();
  }

  /** Sends a test notification. @throws AppError not-found if the session has no subscription; rate-limited */
  async test(session: Session): Promise<PushTest> {
    const { database, sealer, key } = this.#options;
    const { projectId, mailboxId, sessionId, address } = session;
    const { rows } = await TESTED.sql`
      update push_subscriptions s set last_test_at = now()
      where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.session_id = ${sessionId}
        and (s.last_test_at is null or s.last_test_at < now() - ${TIMINGS.testMs} * interval '1 millisecond')
      returning s.target_sealed, s.vapid_key, coalesce((
        select f.unseen from folders f
        where f.project_id = s.project_id and f.mailbox_id = s.mailbox_id and f.role = 'inbox'), 0) as unread`.execute(
      database,
    );
    const [row] = rows;
    const pair = await key.read();
    if (row === undefined) {
      if ((await this.read(session)).content === null) throw notSubscribed();
      throw new AppError('rate-limited', 'A test was sent a moment ago. Try again in a few seconds.', {
        retryAfterSeconds: Math.ceil(TIMINGS.testMs / 1_000),
      });
    }
    if (row.vapidKey !== pair.publicKey) throw notSubscribed();
    const outcome = await sendPush(this.#options, pair, openTarget(sealer, sessionId, row.targetSealed), {
      kind: 'test',
      mailbox: encodeId('mbx', mailboxId),
      address,
      unread: row.unread,
      count: 0,
      shown: null,
      target: null,
    });
    if (outcome.kind === 'ended') await this.unsubscribe(session);
    return { delivered: outcome.kind === 'sent', error: outcome.kind === 'sent' ? null : outcome.error };
  }
}

function notSubscribed(): AppError {
  return new AppError('not-found', 'This browser is not subscribed to notifications.');
}
