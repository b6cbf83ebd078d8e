/** Routes for tests, and messages that they have. */
import type { Database } from '../../src/db/database.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { localPartKey } from '../../src/mailboxes/local-part.ts';
import { newUuid } from '../../src/model/ids.ts';
import type { RouteFormat } from '../../src/model/routes.ts';
import type { MatchingRoute } from '../../src/receiving/route/find-mailboxes.ts';
import { sealCredentials, sealRouteSecret } from '../../src/routes/secrets.ts';
import { newSecret } from '../../src/webhooks/secret.ts';
import { newDomain, newProject } from './projects.ts';

export interface TestRoute extends MatchingRoute {
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
  return { projectId, routeId: id, mailboxId, tag, secret };
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
