/**
 * Tenants of a service under test. Test files without special options share the service of their process. Each file has its own
 * organization, project and domain in this service, so that a file does not see the data of other files.
 */
import { createApiKey } from '../../src/accounts/keys/api-keys.ts';
import { createOrganization } from '../../src/accounts/organizations/organizations.ts';
import { createProject } from '../../src/accounts/projects/projects.ts';
import { verifyManually } from '../../src/domains/verify-manually.ts';
import { apiClient } from './api-client.ts';
import { type ServiceMailbox, serviceMailbox } from './imap/service-mailbox.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';
import { SHARED } from './shared.ts';

interface Project {
  organizationId: string;
  /** The UUID of the project. */
  projectUuid: string;
  projectName: string;
}

interface Tenant extends Project, AsyncDisposable {
  /** The service, with an API key of the project. */
  service: Service;
  /** The domain of the users' addresses. */
  domain: string;
  /** A mailbox of the project, created on first use. */
  mailbox(localPart: string): Promise<ServiceMailbox>;
}

const leaseService = SHARED.share(() => startService());
let tenants = 0;

/** @param options options of a separate service for this tenant. Default: the tenant uses the shared service */
export async function openTenant(options?: ServiceOptions): Promise<Tenant> {
  await using starting = new AsyncDisposableStack();
  let tenant: Omit<Tenant, keyof AsyncDisposable>;
  if (options === undefined) {
    const { thing: service } = starting.use(await leaseService());
    // Remove the failed sign-ins of this file, because the next file signs in from the same network and would be limited.
    starting.defer(async () => {
      await service.database.deleteFrom('signInGuesses').execute();
    });
    tenant = await addTenant(service);
  } else tenant = await onlyTenant(starting.use(await startService(options)));
  const stack = starting.move();
  return { ...tenant, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The tenant with the project of the first start. Mailboxes of this tenant are in the hosted domain. */
async function onlyTenant(service: Service): Promise<Omit<Tenant, keyof AsyncDisposable>> {
  const projectName = 'default';
  const { id: projectUuid, organizationId } = await service.database
    .selectFrom('projects')
    .select(['id', 'organizationId'])
    .where('name', '=', projectName)
    .executeTakeFirstOrThrow();
  return {
    service,
    organizationId,
    projectUuid,
    projectName,
    domain: 'acme.example',
    mailbox: once((localPart) => serviceMailbox(service, localPart)),
  };
}

async function addTenant(shared: Service): Promise<Omit<Tenant, keyof AsyncDisposable>> {
  const { database, baseUrl } = shared;
  tenants += 1;
  const [projectName, domain] = [`tenant-${tenants}`, `tenant-${tenants}.example`];
  const { organizationId, projectUuid, token } = await database.transaction().execute(async (tx) => {
    const ofTenant = await createOrganization(tx, 'default');
    const project = await createProject(tx, ofTenant, projectName, 'paid');
    const key = await createApiKey(tx, project, 'Initial key', null);
    return { organizationId: ofTenant, projectUuid: project, token: key.token };
  });
  const client = (other: string | null = token) => apiClient(baseUrl, other ?? undefined);
  const service: Service = { ...shared, token, client };
  let verified: Promise<unknown> | undefined;
  async function verify(): Promise<void> {
    await service.client().post('/v1/domains', { domain });
    await verifyManually(database, projectUuid, domain);
  }
  return {
    service,
    organizationId,
    projectUuid,
    projectName,
    domain,
    mailbox: once(async (localPart) => {
      await (verified ??= verify());
      return serviceMailbox(service, localPart, domain);
    }),
  };
}

/** Creates each named thing once, on first use. */
function once<Made>(make: (name: string) => Promise<Made>): (name: string) => Promise<Made> {
  const made = new Map<string, Promise<Made>>();
  return (name) => {
    const found = made.get(name) ?? make(name);
    made.set(name, found);
    return found;
  };
}
