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

/** Stores a message with its bytes. @returns the uuid of the message */
export async function insertMessage(
  { database, blobs }: { database: Database; blobs: Blobs },
  route: Pick<TestRoute, 'projectId' | 'routeId'>,
  text: string,
): Promise<string> {
  const { raw } = routed(text);
  const blob = await blobs.prepare(route.projectId, raw);
  await sql`with ${writingBlobs([blob]).sql} select`.execute(database);
  return insertRow(database, route, { digest: blob.digest, octets: blob.size });
}

interface MessageRow {
  digest?: Buffer;
  octets?: number;
  status?: 'pending' | 'delivered' | 'failed' | 'stored';
  attempts?: number;
  subject?: string;
  httpStatus?: number | null;
  error?: string | null;
}

/** Stores a message without its bytes. @returns the uuid of the message */
export async function insertRow(
  database: Database,
  { projectId, routeId }: Pick<TestRoute, 'projectId' | 'routeId'>,
  {
    digest = Buffer.alloc(32),
    octets = 1_000,
    status = 'stored',
    attempts = 0,
    subject = 'Hello',
    httpStatus = null,
    error = null,
  }: MessageRow = {},
): Promise<string> {
  const { reversePath, recipients, clientAddress, helo, authentication, spam } = routed('');
  const id = newUuid();
  await sql`
    insert into route_messages (project_id, route_id, id, dedupe, digest, octets, reverse_path, recipients, client_address, helo, author,
      subject, authentication, spam, status, attempts, http_status, error, next_attempt_at, last_attempt_at, expires_at)
    values (${projectId}, ${routeId}, ${id}, ${Buffer.from(id)}, ${digest}, ${octets}, ${reversePath}, ${recipients}, ${clientAddress}, ${helo},
      'ada@example.com', ${subject}, ${JSON.stringify(authentication)}, ${JSON.stringify(spam)}, ${status}, ${attempts}, ${httpStatus}, ${error},
      now() + interval '1 hour', ${attempts === 0 ? null : new Date()}, now() + interval '30 days')`.execute(
    database,
  );
  return id;
}
