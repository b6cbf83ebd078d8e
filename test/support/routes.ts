/** Routes for tests, and messages that they have. */
import { sql } from 'kysely';
import type { Blobs } from '../../src/blobs/blobs.ts';
import { writingBlobs } from '../../src/blobs/prepared-blob.ts';
import type { Database } from '../../src/db/database.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { localPartKey } from '../../src/mailboxes/local-part.ts';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import type { RouteFormat } from '../../src/model/routes.ts';
import type { MatchingRoute } from '../../src/receiving/route/find-mailboxes.ts';
import { routed } from '../../src/routes/formats/routed.fixture.ts';
import { sealCredentials, sealRouteSecret } from '../../src/routes/secrets.ts';
import { newSecret } from '../../src/webhooks/secret.ts';
import { newDomain, newProject } from './projects.ts';

export interface TestRoute extends MatchingRoute {
  /** `rt_…` */
  id: string;
  secret: string;
}

interface RouteFields {
  projectId?: string;
  /** A mailbox of the project. Default: the route has an address of its own. */
  mailboxId?: string;
  tag?: string;
  url?: string | null;
  credentials?: string;
  format?: RouteFormat;
}

/** Stores a route. Default: on an address of a new domain in a new project, with a URL at which nothing listens. */
export async function newRoute(
  database: Database,
  sealer: Sealer,
  fields: RouteFields = {},
): Promise<TestRoute> {
  const { mailboxId = null, tag = null, url = 'http://127.0.0.1:9/', credentials, format = 'raw' } = fields;
  const projectId = fields.projectId ?? (await newProject(database));
  const id = newUuid();
  const secret = newSecret();
  const domain = `${id}.example`;
  const match =
    mailboxId === null
      ? {
          kind: 'address' as const,
          domainId: await newDomain(database, projectId, domain, {
            status: 'verified',
            verifiedAt: new Date(),
          }),
          domain,
          localPart: 'Support',
          localPartKey: localPartKey('Support'),
        }
      : { kind: 'mailbox' as const, mailboxId, tag };
  await database
    .insertInto('routes')
    .values({
      projectId,
      id,
      ...match,
      format,
      url,
      credentialsSealed: credentials === undefined ? null : sealCredentials(sealer, id, credentials),
      secretSealed: sealRouteSecret(sealer, id, secret),
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute();
  return { projectId, routeId: id, id: encodeId('rt', id), mailboxId, tag, secret };
}

/** The messages of a route, oldest first. */
export function messagesOf(database: Database, { projectId, routeId }: MatchingRoute) {
  return database
    .selectFrom('routeMessages')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('routeId', '=', routeId)
    .orderBy('id')
    .execute();
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
