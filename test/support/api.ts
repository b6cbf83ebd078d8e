/** The API in this process, over a real database of its own, with two projects of one organisation. */
import { pino } from 'pino';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { ensureHostedDomain } from '../../src/domains/hosted.ts';
import { EmailLists } from '../../src/sending/read/email-lists.ts';
import { SingleEmails } from '../../src/sending/read/single-emails.ts';
import { Readiness } from '../../src/edge/http/readiness.ts';
import { type HttpOptions, startHttp } from '../../src/edge/http/server.ts';
import type { HttpServices } from '../../src/edge/http/services.ts';
import type { GrantedScopes } from '../../src/model/scopes.ts';
import type { Plan } from '../../src/model/plans.ts';
import { createHttpServices, type HttpServicesOptions } from '../../src/app/http-services.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { sealedDatabase, type TestDatabase } from './postgres.ts';
import { newProject as insertProject } from './projects.ts';

export const HOSTED_DOMAIN = 'hosted.example';

export interface TestProject {
  id: string;
  name: string;
  /** The client of a full-access key. */
  client: ApiClient;
  /** The client of another key of the project. */
  clientWith(scopes: GrantedScopes): Promise<ApiClient>;
}

export interface RealApi extends AsyncDisposable {
  baseUrl: string;
  db: TestDatabase;
  sealer: Sealer;
  /** On the plan `paid`. */
  project: TestProject;
  /** Another one of the same organisation. */
  other: TestProject;
  newProject(name: string, plan: Plan): Promise<TestProject>;
}

export async function startRealApi(
  config: Partial<HttpServicesOptions['config']> = {},
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
    lists: new EmailLists(database, 4),
    emails: new SingleEmails(database, 2),
    sealer,
    readiness: new Readiness({
      clock: { whyNotReady: () => null },
      database,
      logger: pino({ level: 'silent' }),
    }),
    baseUrl: () => baseUrl,
    config: {
      environment: 'development',
      hostedDomain: HOSTED_DOMAIN,
      hostname: 'mx.hosted.example',
      dns: null,
      ...config,
    },
    receiveSesNotification: null,
  });
  const server: { port: number } = stack.use(
    await startHttp(wrap(services), {
      place: { addresses: ['::'], port: 0 },
      rateLimit: 0,
      processes: () => 1,
      trustedProxies: [],
      baseUrl: null,
      instance: () => ({ address: baseUrl, hostedDomain: HOSTED_DOMAIN }),
      logger: pino({ level: 'error' }),
      ...options,
    }),
  );
  const baseUrl = `http://localhost:${server.port}`;
  const newProject = async (name: string, plan: Plan): Promise<TestProject> => {
    const id = await insertProject(database, name, plan);
    const clientWith = async (scopes: GrantedScopes) =>
      apiClient(baseUrl, (await createApiKey(database, id, 'test', scopes)).token);
    return { id, name, client: await clientWith(null), clientWith };
  };
  return {
    baseUrl,
    db,
    sealer,
    project: await newProject('one', 'paid'),
    other: await newProject('two', 'paid'),
    newProject,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
