/** Loads what an attempt needs in addition to its key: the route with its secrets, and the message without its bytes. */
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import type { RouteFormat } from '../../model/routes.ts';
import { ATTEMPT_COLUMNS, type AttemptKey } from '../../webhooks/deliver/claim-deliveries.ts';
import type { Load } from '../../webhooks/deliver/delivery-queue.ts';
import type { SigningSecrets } from '../../webhooks/secret.ts';
import { STORED_COLUMNS, STORED_MESSAGE, type StoredMessage } from '../routed-message.ts';
import { openCredentials, openRouteSecrets } from '../secrets.ts';
import type { ClaimedMessage } from './claim-messages.ts';

const KEYS = rowsOf<AttemptKey>('k', ATTEMPT_COLUMNS);

const ROW = columnsOf({
  routeId: 'uuid',
  url: 'text',
  format: shaped<RouteFormat>('text'),
  credentialsSealed: 'text?',
  secretSealed: 'text',
  previousSecretSealed: 'text?',
  previousSecretUntil: 'timestamptz?',
  ...STORED_MESSAGE.kinds,
});

export interface LoadedMessage {
  delivery: ClaimedMessage;
  url: string;
  format: RouteFormat;
  /** `user:password`; null for none. */
  credentials: string | null;
  secrets: SigningSecrets;
  message: StoredMessage;
}

/**
 * The messages of a mailbox that no longer allows access are not sent.
 * @param onError called for a route whose secrets cannot be decrypted
 */
export async function loadMessages(
  database: Database,
  sealer: Sealer,
  claimed: readonly ClaimedMessage[],
  onError: (delivery: ClaimedMessage, error: unknown) => void,
): Promise<Load<ClaimedMessage, LoadedMessage>> {
  const { rows } = await ROW.sql`
    select m.route_id, r.url, r.format, r.credentials_sealed, r.secret_sealed, r.previous_secret_sealed, r.previous_secret_until,
      ${STORED_COLUMNS}
    from ${KEYS.from(claimed)}
    join route_messages m on m.project_id = k.project_id and m.id = k.id
    join routes r on r.project_id = m.project_id and r.id = m.route_id and r.url is not null
    left join mailboxes b on b.project_id = r.project_id and b.id = r.mailbox_id
    where b.api_access is not false`.execute(database);
  const found = new Map(rows.map((row) => [row.id, row]));
  const now = clock.now();
  const load: Load<ClaimedMessage, LoadedMessage> = { loaded: [], withdrawn: [], unsendable: [] };
  for (const delivery of claimed) {
    const row = found.get(delivery.id);
    if (row === undefined) {
      load.unsendable.push({ delivery, error: 'the route has no URL, or its mailbox has no API access' });
      continue;
    }
    const { url, format, credentialsSealed, routeId } = row;
    try {
      const secrets = openRouteSecrets(sealer, { ...row, id: routeId }, now);
      const credentials =
        credentialsSealed === null ? null : openCredentials(sealer, routeId, credentialsSealed);
      load.loaded.push({ delivery, url, format, credentials, secrets, message: row });
    } catch (error) {
      onError(delivery, error);
      load.unsendable.push({ delivery, error: 'the secrets of the route cannot be decrypted' });
    }
  }
  return load;
}
