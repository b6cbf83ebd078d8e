/** Routes and their messages in the database of a test, without the programs that receive mail. */
import { sql } from 'kysely';
import type { Blobs } from '../../src/blobs/blobs.ts';
import { writingBlobs } from '../../src/blobs/prepared-blob.ts';
import type { Database } from '../../src/db/database.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import { routed } from '../../src/routes/formats/routed.fixture.ts';
import { sealRouteSecret } from '../../src/routes/secrets.ts';
import { newSecret } from '../../src/webhooks/secret.ts';

export interface TestRoute {
  projectId: string;
  routeId: string;
  /** `rt_…` */
  id: string;
  secret: string;
}

interface RouteDefinition {
  projectId: string;
  /** Absent: a route of an address. */
  mailboxId?: string;
  url?: string | null;
}

export async function insertRoute(
  { database, sealer }: { database: Database; sealer: Sealer },
  { projectId, mailboxId, url = null }: RouteDefinition,
): Promise<TestRoute> {
  const routeId = newUuid();
  const secret = newSecret();
  const localPart = `r${routeId.slice(-8)}`;
  const isAddress = mailboxId === undefined;
  await sql`
    insert into routes (project_id, id, kind, domain_id, domain, local_part, local_part_key, mailbox_id, format, url, secret_sealed, created_at, updated_at)
    values (${projectId}, ${routeId}, ${isAddress ? 'address' : 'mailbox'}, ${isAddress ? newUuid() : null}, ${isAddress ? 'acme.example' : null},
      ${isAddress ? localPart : null}, ${isAddress ? localPart : null}, ${mailboxId ?? null}, 'json', ${url},
      ${sealRouteSecret(sealer, routeId, secret)}, now(), now())`.execute(database);
  return { projectId, routeId, id: encodeId('rt', routeId), secret };
}

/** @returns the uuid of the message */
export async function insertMessage(
  { database, blobs }: { database: Database; blobs: Blobs },
  { projectId, routeId }: Pick<TestRoute, 'projectId' | 'routeId'>,
  text: string,
  changed: { status?: 'pending' | 'delivered' | 'failed' | 'stored'; subject?: string } = {},
): Promise<string> {
  const message = routed(text);
  const id = newUuid();
  const blob = await blobs.prepare(projectId, message.raw);
  await sql`
    with ${writingBlobs([blob]).sql}
    insert into route_messages (project_id, route_id, id, dedupe, digest, octets, reverse_path, recipients, client_address, helo, author,
      subject, authentication, spam, status, next_attempt_at, expires_at)
    values (${projectId}, ${routeId}, ${id}, ${Buffer.from(id)}, ${blob.digest}, ${blob.size}, ${message.reversePath}, ${message.recipients},
      ${message.clientAddress}, ${message.helo}, 'ada@example.com', ${changed.subject ?? 'Hello'}, ${JSON.stringify(message.authentication)},
      ${JSON.stringify(message.spam)}, ${changed.status ?? 'stored'}, now(), now() + interval '30 days')`.execute(
    database,
  );
  return id;
}
