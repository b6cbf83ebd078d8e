/**
 * Tenants of a service under test. Test files that ask for no options share the service of their process; each has an
 * organisation, a project and a domain of its own there, so no file sees what another one does.
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
  /** uuid */
  projectUuid: string;
  projectName: string;
}

interface Tenant extends Project, AsyncDisposable {
  /** Its key is one of the project. */
  service: Service;
  /** Of its users' addresses. */
  domain: string;
  /** A mailbox of the project, made when it is first asked for. */
  mailbox(localPart: string): Promise<ServiceMailbox>;
}

const leaseService = SHARED.share(() => startService());
let tenants = 0;

/** @param options of a service that this tenant has for itself; by default it shares one */
export async function openTenant(options?: ServiceOptions): Promise<Tenant> {
  await using starting = new AsyncDisposableStack();
  let tenant: Omit<Tenant, keyof AsyncDisposable>;
  if (options === undefined) {
    const { thing: service } = starting.use(await leaseService());
    // What one file guessed wrong is not held against the next one, which comes from the same network.
    starting.defer(async () => {
      await service.database.deleteFrom('signInGuesses').execute();
    });
    tenant = await addTenant(service);
  } else tenant = await onlyTenant(starting.use(await startService(options)));
  const stack = starting.move();
  return { ...tenant, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The project of the first start. Its mailboxes are on the hosted domain. */
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
    const key = await createApiKey(tx, project, 'first start', null);
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

/** Makes what has a name when it is first asked for. */
function once<Made>(make: (name: string) => Promise<Made>): (name: string) => Promise<Made> {
  const made = new Map<string, Promise<Made>>();
  return (name) => {
    const found = made.get(name) ?? make(name);
    made.set(name, found);
    return found;
  };
}
