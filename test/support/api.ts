/** The API in this process, over a real database of its own, with two projects of one organisation. */
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { AccountMail } from '../../src/sending/service-mail/account-mail.ts';
import { ServiceMail } from '../../src/sending/service-mail/service-mail.ts';
import { UserSignIn } from '../../src/accounts/user-sign-in.ts';
import { FairReads } from '../../src/db/fair-reads.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { ensureHostedDomain } from '../../src/domains/hosted.ts';
import { EmailSearch } from '../../src/sending/search/email-search.ts';
import { EmailLists } from '../../src/sending/read/email-lists.ts';
import { SingleEmails } from '../../src/sending/read/single-emails.ts';
import { Readiness } from '../../src/edge/http/readiness.ts';
import { type HttpOptions, startHttp } from '../../src/edge/http/server.ts';
import type { HttpServices } from '../../src/edge/http/services.ts';
import type { MailAccess } from '../../src/rfc/mail-setup/mail-access.ts';
import type { GrantedScopes } from '../../src/model/scopes.ts';
import type { Plan } from '../../src/model/plans.ts';
import type { Config } from '../../src/app/config.ts';
import { createDashboardServices } from '../../src/app/dashboard-services.ts';
import {
  createMailClientServices,
  type MailClientServicesOptions,
} from '../../src/app/mail-client-services.ts';
import { createEmailInspector } from '../../src/app/email-inspector.ts';
import { createSystem } from '../../src/app/system.ts';
import { createAcceptor } from '../../src/app/acceptor.ts';
import { createHttpServices, type HttpServicesOptions } from '../../src/app/http-services.ts';
import { type ApiClient, apiClient, checkAgainst } from './api-client.ts';
import { mailClientOptions } from './mail-client-options.ts';
import { ownContract } from './own-contract.ts';
import { sealedDatabase, type TestDatabase } from './postgres.ts';
import { newProject as insertProject } from './projects.ts';
import { TemplatePages } from '../../src/templates/template-pages.ts';

export const HOSTED_DOMAIN = 'hosted.example';

/** What mail apps are told, and the records of domains with mailboxes. */
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
  /** The client of a full-access key. */
  client: ApiClient;
  /** The client of another key of the project. */
  clientWith(scopes: GrantedScopes): Promise<ApiClient>;
}

export interface RealApi extends AsyncDisposable {
  /** What the web client is made of. */
  mailClient: MailClientServicesOptions;
  baseUrl: string;
  port: number;
  /** 0 where none is open. */
  httpsPort: number;
  db: TestDatabase;
  sealer: Sealer;
  /** On the plan `paid`. */
  project: TestProject;
  /** Another one of the same organisation. */
  other: TestProject;
  newProject(name: string, plan: Plan): Promise<TestProject>;
}

export async function startRealApi(
  config: Partial<HttpServicesOptions['config'] & Pick<Config, 'openId' | 'mailFrom'>> = {},
  options: Partial<HttpOptions> = {},
  /** What is served in place of the services, for faults. */
  wrap: (services: HttpServices) => HttpServices = (services) => services,
): Promise<RealApi> {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await sealedDatabase());
  const { database, sealer } = db;
  await ensureHostedDomain(database, sealer, HOSTED_DOMAIN);
  const services = createHttpServices({
    database,
    lists: new EmailLists(new FairReads(database, 4)),
    emails: new SingleEmails(new FairReads(database, 2)),
    sealer,
    readiness: new Readiness({
      clock: { whyNotReady: () => null },
      database,
      logger: pino({ level: 'silent' }),
    }),
    acceptor: stack.use(
      createAcceptor({
        database,
        config: { environment: 'development', hostedDomain: HOSTED_DOMAIN, ...config },
        baseUrl: () => baseUrl,
      }),
    ),
    config: {
      environment: 'development',
      hostedDomain: HOSTED_DOMAIN,
      hostname: 'mx.hosted.example',
      mxNames: [],
      dns: null,
      ...config,
    },
    receiveSesNotification: null,
    mailAccess: TEST_ACCESS,
  });
  const reads = new FairReads(database, 2);
  const dashboard = createDashboardServices({
    database,
    signIn: stack.use(new UserSignIn({ database, logger: pino({ level: 'silent' }) })),
    templatePages: stack.use(new TemplatePages(database, services.templates)),
    reads,
    sealer,
    emailSearch: new EmailSearch(new FairReads(database, 2)),
    http: services,
    inspector: stack.use(
      createEmailInspector({
        database,
        sealer,
        connections: 2,
        config: {
          environment: 'development',
          hostedDomain: HOSTED_DOMAIN,
          hostname: TEST_ACCESS.hostname,
          ...config,
        },
      }),
    ),
    baseUrl: () => baseUrl,
    config: {
      environment: 'development',
      hostedDomain: HOSTED_DOMAIN,
      hostname: 'mx.hosted.example',
      mxNames: [],
      provider: 'sandbox',
      defaultPlan: 'paid',
      openId: null,
      keepDays: null,
      ...config,
    },
    logger: pino({ level: 'silent' }),
    system: createSystem(stack, {
      database,
      databaseUrl: db.url,
      reads,
      config: { dataDir: tmpdir(), blobs: null, tls: null, logLevel: 'info' },
    }),
    accountMail: stack.use(
      new AccountMail({
        database,
        mail: new ServiceMail({
          from: config.mailFrom ?? null,
          hostedDomain: HOSTED_DOMAIN,
          sealer,
          trustsHand: true,
        }),
        baseUrl: () => baseUrl,
        onQueued() {},
        logger: pino({ level: 'error' }),
      }),
    ),
  });
  const mailClient = await mailClientOptions(
    stack,
    db,
    {
      hostedDomain: HOSTED_DOMAIN,
      environment: 'development',
      hostname: TEST_ACCESS.hostname,
      mxNames: [],
      dns: null,
    },
    () => baseUrl,
  );
  const server: { port: number; httpsPort: number | null } = stack.use(
    await startHttp(wrap(services), {
      place: { addresses: ['::'], port: 0 },
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
        services: createMailClientServices(stack, mailClient),
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
    mailClient,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
