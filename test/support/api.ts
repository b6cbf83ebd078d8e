/** Runs the API in this process with its own real database, and two projects of one organization. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApiKey } from '../../src/accounts/keys/api-keys.ts';
import type { CoreInputs } from '../../src/app/base-core.ts';
import type { Config } from '../../src/app/config.ts';
import type { Core } from '../../src/app/core.ts';
import { createDashboardServices } from '../../src/app/dashboard-services.ts';
import { createHttpServices } from '../../src/app/http-services.ts';
import { createMailClientServices } from '../../src/app/mail-client-services.ts';
import { type MailServices, openMailServices } from '../../src/app/mail-services.ts';
import { createSubmitter } from '../../src/app/submitter.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { Readiness } from '../../src/doors/http/readiness.ts';
import { type HttpOptions, startHttp } from '../../src/doors/http/server.ts';
import type { HttpServices } from '../../src/doors/http/services.ts';
import type { Plan } from '../../src/model/plans.ts';
import type { GrantedScopes } from '../../src/model/scopes.ts';
import type { MailAccess } from '../../src/rfc/mail-setup/mail-access.ts';
import type { Submitter } from '../../src/sending/submit/submitter.ts';
import { type ApiClient, apiClient, checkAgainst } from './api-client.ts';
import { HOSTED_DOMAIN, testCore } from './core.ts';
import { addHostedDomain } from './hosted-domain.ts';
import { memoryFolder } from './memory-folder.ts';
import { ownContract } from './own-contract.ts';
import { sealedDatabase, type TestDatabase } from './postgres.ts';
import { newProject as insertProject } from './projects.ts';

export { HOSTED_DOMAIN } from './core.ts';

/** Server settings for mail apps, and for the records of domains with mailboxes. */
const TEST_ACCESS: MailAccess = {
  hostname: 'mx.hosted.example',
  webHost: 'web.hosted.example',
  services: [
    { protocol: 'imap', security: 'tls', port: 993 },
    { protocol: 'pop3', security: 'tls', port: 995 },
    { protocol: 'submission', security: 'tls', port: 465 },
    { protocol: 'submission', security: 'starttls', port: 587 },
  ],
};

export interface TestProject {
  id: string;
  name: string;
  /** A client with a full-access key of the project. */
  client: ApiClient;
  /** Makes a client with a new key of the project. */
  clientWith(scopes: GrantedScopes): Promise<ApiClient>;
}

export interface RealApi extends AsyncDisposable {
  core: Core;
  /** Services of mail apps and the web client. */
  mail: MailServices;
  submitter: Submitter;
  baseUrl: string;
  port: number;
  /** The port of the HTTPS listener; 0 if there is none. */
  httpsPort: number;
  db: TestDatabase;
  sealer: Sealer;
  /** The project of the tests, with the plan `paid`. */
  project: TestProject;
  /** Another project of the same organization. */
  other: TestProject;
  newProject(name: string, plan: Plan): Promise<TestProject>;
}

export async function startRealApi(
  config: Partial<Config> = {},
  options: Partial<HttpOptions> = {},
  /** Wraps the services, to inject faults. */
  wrap: (services: HttpServices) => HttpServices = (services) => services,
  inputs: Pick<CoreInputs, 'timings'> = {},
): Promise<RealApi> {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await sealedDatabase());
  const { database, sealer } = db;
  await addHostedDomain(db);
  const dataDir = await mkdtemp(join(memoryFolder(), 'posthorn-api-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const core = stack.use(
    await testCore(
      db,
      { dataDir, ...config },
      { baseUrl: () => baseUrl, mailAccess: TEST_ACCESS, ...inputs },
    ),
  );
  const logger = pino({ level: 'silent' });
  const readiness = new Readiness({ clock: { whyNotReady: () => null }, database, logger });
  const services = createHttpServices(core, readiness, null);
  const dashboard = createDashboardServices(core, services);
  const mail = openMailServices(core);
  const submitter = createSubmitter(core, mail);
  const server: { port: number; httpsPort: number | null } = stack.use(
    await startHttp(wrap(services), {
      listenAddress: { addresses: ['::'], port: 0 },
      rateLimit: 0,
      processes: () => 1,
      trustedProxies: [],
      baseUrl: null,
      instance: () => ({
        address: baseUrl,
        webClient: `${baseUrl}/mail`,
        hostedDomain: HOSTED_DOMAIN,
        submission: null,
      }),
      logger: pino({ level: 'error' }),
      dashboard: {
        services: dashboard,
        address: { baseUrl: null, environment: 'development', setting: 'POSTHORN_BASE_URL' },
      },
      mailClient: {
        services: createMailClientServices(core, { mail, submitter }),
        address: { baseUrl: null, environment: 'development', setting: 'POSTHORN_BASE_URL' },
      },
      ...options,
    }),
  );
  const baseUrl = `http://localhost:${server.port}`;
  checkAgainst(ownContract(), baseUrl);
  const newProject = async (name: string, plan: Plan): Promise<TestProject> => {
    const id = await insertProject(database, name, plan);
    const clientWith = async (scopes: GrantedScopes) =>
      apiClient(baseUrl, (await createApiKey(database, id, 'test', scopes)).token);
    return { id, name, client: await clientWith(null), clientWith };
  };
  return {
    baseUrl,
    port: server.port,
    httpsPort: server.httpsPort ?? 0,
    db,
    sealer,
    project: await newProject('one', 'paid'),
    other: await newProject('two', 'paid'),
    newProject,
    core,
    mail,
    submitter,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
