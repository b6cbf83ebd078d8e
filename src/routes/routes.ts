/** The routes of a project, in the form of the API (docs/routes.md). Ids are uuids. */
import { type AuditFields, type Change, recordChange, recordDifferences } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import type { CreatedRoute, CreateRoute, Route, RouteList, UpdateRoute } from '../contract/routes.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { Sealer } from '../db/seal.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { Environment } from '../webhooks/check-url.ts';
import { previousSecret } from '../webhooks/rotation.ts';
import { newSecret } from '../webhooks/secret.ts';
import { checkMatch, type NewMatch, readMatch } from './new-match.ts';
import { readUrl } from './read-url.ts';
import { type MailboxAddress, routeRecord, type RouteRow } from './records.ts';
import { sealCredentials, sealRouteSecret } from './secrets.ts';

/** The maximum number of routes per project. A message to a mailbox is compared with each of its routes. */
const MAX_ROUTES = 100;

export interface RoutesOptions {
  database: Database;
  sealer: Sealer;
  /** A-labels, lower case */
  hostedDomain: string;
  environment: Environment;
}

export class Routes {
  readonly #options: RoutesOptions;

  constructor(options: RoutesOptions) {
    this.#options = options;
  }

  /** The routes, oldest first. */
  async list(projectId: string): Promise<RouteList> {
    const rows = await selecting(this.#options.database, projectId).orderBy('routes.id').execute();
    return { data: rows.map(routeRecord) };
  }

  /** @returns null if the project has no such route, like all methods below */
  async get(projectId: string, routeId: string): Promise<Route | null> {
    const row = await findRoute(this.#options.database, projectId, routeId);
    return row === null ? null : routeRecord(row);
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded */
  async create(projectId: string, body: CreateRoute): Promise<CreatedRoute> {
    const { database, hostedDomain, sealer } = this.#options;
    const id = newUuid();
    const target = this.#readTarget(id, body.url ?? '');
    const match = await readMatch(database, hostedDomain, projectId, body);
    const secret = newSecret();
    const now = timeOf(id);
    const route = await database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      await refuseTooMany(tx, projectId);
      await checkMatch(tx, projectId, match);
      await tx
        .insertInto('routes')
        .values({
          projectId,
          id,
          ...columnsOf(match),
          ...target,
          format: body.format ?? 'json',
          secretSealed: sealRouteSecret(sealer, id, secret),
          createdAt: now,
          updatedAt: now,
        })
        .execute();
      const row = await findRoute(tx, projectId, id);
      if (row === null) throw new Error('the new route was not found');
      await recordChange(tx, { ...changeOf(row, 'create'), after: auditedFields(row) });
      return routeRecord(row);
    });
    return { ...route, secret };
  }

  /**
   * Changes the URL or the format. Pending messages are sent to the new URL.
   * @throws AppError validation-failed
   */
  async update(projectId: string, routeId: string, body: UpdateRoute): Promise<Route | null> {
    const target = body.url === undefined ? {} : this.#readTarget(routeId, body.url);
    return this.#options.database.transaction().execute(async (tx) => {
      const locked = await tx
        .selectFrom('routes')
        .select('id')
        .where((row) => rowIs(row, { projectId, id: routeId }))
        .forNoKeyUpdate()
        .executeTakeFirst();
      const before = locked === undefined ? null : await findRoute(tx, projectId, routeId);
      if (before === null) return null;
      if (body.url === undefined && body.format === undefined) return routeRecord(before);
      await tx
        .updateTable('routes')
        .set({ ...target, format: body.format, failingSince: null, updatedAt: clock.now() })
        .where((row) => rowIs(row, { projectId, id: routeId }))
        .execute();
      const after = await findRoute(tx, projectId, routeId);
      if (after === null) return null;
      await recordDifferences(tx, changeOf(after, 'update'), auditedFields(before), auditedFields(after));
      return routeRecord(after);
    });
  }

  /**
   * Deletes a route. Nothing more is sent, and its messages are deleted in the background (src/retention/delete-route-messages.ts).
   * @returns false if the project has no such route
   */
  delete(projectId: string, routeId: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      const row = await findRoute(tx, projectId, routeId);
      if (row === null) return false;
      const { numDeletedRows } = await tx
        .deleteFrom('routes')
        .where((where) => rowIs(where, { projectId, id: routeId }))
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await recordChange(tx, { ...changeOf(row, 'delete'), before: auditedFields(row) });
      return true;
    });
  }

  /**
   * Replaces the secret. The old one continues to sign for `hours`, as that of a webhook does.
   * @returns the new one, which is never shown again
   */
  async rotateSecret(projectId: string, routeId: string, hours: number): Promise<{ secret: string } | null> {
    const { database, sealer } = this.#options;
    const secret = newSecret();
    return database.transaction().execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('routes')
        .set({
          secretSealed: sealRouteSecret(sealer, routeId, secret),
          ...previousSecret(hours),
          updatedAt: clock.now(),
        })
        .where((row) => rowIs(row, { projectId, id: routeId }))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return null;
      const row = await findRoute(tx, projectId, routeId);
      if (row !== null)
        await recordChange(tx, {
          ...changeOf(row, 'rotate-secret'),
          after: { previous_secret_until: row.previousSecretUntil?.toISOString() ?? null },
        });
      return { secret };
    });
  }

  /** @throws AppError validation-failed */
  #readTarget(routeId: string, text: string): Pick<RouteRow, 'url' | 'credentialsSealed'> {
    if (text === '') return { url: null, credentialsSealed: null };
    const { environment, sealer } = this.#options;
    const { url, credentials } = readUrl(text, environment);
    const credentialsSealed = credentials === null ? null : sealCredentials(sealer, routeId, credentials);
    return { url, credentialsSealed };
  }
}

function selecting(database: Database | DatabaseTransaction, projectId: string) {
  return database
    .selectFrom('routes')
    .leftJoin('mailboxes as m', (join) =>
      join.onRef('m.projectId', '=', 'routes.projectId').onRef('m.id', '=', 'routes.mailboxId'),
    )
    .selectAll('routes')
    .select(['m.domain as mailboxDomain', 'm.domainId as mailboxDomainId', 'm.localPart as mailboxLocalPart'])
    .where('routes.projectId', '=', projectId);
}

async function findRoute(
  database: Database | DatabaseTransaction,
  projectId: string,
  routeId: string,
): Promise<(RouteRow & MailboxAddress) | null> {
  const row = await selecting(database, projectId).where('routes.id', '=', routeId).executeTakeFirst();
  return row ?? null;
}

/** Checks the limit. The caller must have locked the project's row. @throws AppError plan-limit-exceeded */
async function refuseTooMany(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('routes')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(count) < MAX_ROUTES) return;
  throw new AppError(
    'plan-limit-exceeded',
    `A project can have at most ${MAX_ROUTES} routes. Delete one first.`,
    { errors: { url: `the project already has ${MAX_ROUTES} routes; delete one first` } },
  );
}

function columnsOf(
  match: NewMatch,
): Pick<RouteRow, 'kind'> &
  Partial<Pick<RouteRow, 'domainId' | 'domain' | 'localPart' | 'localPartKey' | 'mailboxId' | 'tag'>> {
  if (match.kind === 'mailbox') return match;
  if (match.kind === 'domain')
    return { kind: 'domain', domainId: match.domain.id, domain: match.domain.name };
  const { address, localPart } = match;
  return {
    kind: 'address',
    domainId: address.domain.id,
    domain: address.domain.name,
    localPart,
    localPartKey: address.localPartKey,
  };
}

/** The fields of a route in the audit log. */
function auditedFields(row: RouteRow & MailboxAddress): AuditFields {
  const { matches, address, domain, tag, format, url, has_credentials } = routeRecord(row);
  return { matches, address, domain, tag, format, url, has_credentials };
}

function changeOf(
  row: RouteRow & MailboxAddress,
  verb: 'create' | 'update' | 'delete' | 'rotate-secret',
): Pick<Change, 'of' | 'action' | 'target' | 'targetName'> {
  const { id, address, domain } = routeRecord(row);
  return {
    of: { projectId: row.projectId },
    action: `route.${verb}`,
    target: id,
    targetName: address ?? `*@${domain}`,
  };
}
