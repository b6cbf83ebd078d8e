/** Projects for tests, with domains and mailboxes. */
import type { Insertable } from 'kysely';
import { ensureOrganization } from '../../src/accounts/organizations/organizations.ts';
import { createProject } from '../../src/accounts/projects/projects.ts';
import type { Database } from '../../src/db/database.ts';
import type { Tables } from '../../src/db/tables.ts';
import { Mailboxes } from '../../src/mailboxes/mailboxes.ts';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import type { Plan } from '../../src/model/plans.ts';

/** @param organizationId default: the installation's organization @returns the UUID of the project */
export function newProject(
  database: Database,
  name: string = newUuid(),
  plan: Plan = 'paid',
  organizationId?: string,
): Promise<string> {
  return database
    .transaction()
    .execute(async (tx) => createProject(tx, organizationId ?? (await ensureOrganization(tx)), name, plan));
}

/** Adds a domain without keys. @returns the UUID of the domain */
export async function newDomain(
  database: Database,
  projectId: string,
  name: string,
  fields: Partial<Insertable<Tables['domains']>> = {},
): Promise<string> {
  const id = newUuid();
  await database
    .insertInto('domains')
    .values({ projectId, id, name, status: 'pending', createdAt: new Date(), verifiedAt: null, ...fields })
    .execute();
  return id;
}

/** A project with one mailbox, at the domain shop.example. @returns the UUID of the project */
export async function newShop(
  database: Database,
  name: string,
  mailbox: { localPart: string; password?: string },
  organizationId?: string,
): Promise<string> {
  const projectId = await newProject(database, name, 'paid', organizationId);
  const domainId = await newDomain(database, projectId, 'shop.example');
  const { localPart, ...password } = mailbox;
  await new Mailboxes({ database, hostedDomain: 'hosted.example' }).create(projectId, {
    domain_id: encodeId('dom', domainId),
    local_part: localPart,
    quota_mb: 1,
    ...password,
  });
  return projectId;
}

/** The password hash of the project's only mailbox. */
export async function passwordHashOf(database: Database, projectId: string): Promise<string | null> {
  const row = await database
    .selectFrom('mailboxes')
    .select('passwordHash')
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  return row.passwordHash;
}
