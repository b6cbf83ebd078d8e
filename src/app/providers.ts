/** Builds the provider that the configuration names. No logic. */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from '../db/database.ts';
import type { Provider } from '../sending/deliver/provider.ts';
import { createRelay } from '../sending/deliver/relay/relay.ts';
import { createSandbox } from '../sending/deliver/sandbox.ts';
import { DnsResolver } from '../net/dns.ts';

const FLUSH_TLS_RESULTS_MS = 60_000;

/** @param stack what the provider needs beside itself is unwound with it */
export async function createProvider(
  stack: AsyncDisposableStack,
  database: Database,
  config: Config,
  logger: Logger,
): Promise<Provider> {
  if (config.provider === 'direct') return await createDirectProvider(stack, database, config, logger);
  if (config.provider === 'ses') return await createSesProvider(config, logger);
  if (config.provider === 'sandbox' || config.smartHost === null) return createSandbox(database);
  return createRelay(config.smartHost, { heloName: config.hostname });
}

async function createSesProvider({ ses }: Config, logger: Logger): Promise<Provider> {
  if (ses === null) throw new TypeError('no account of SES');
  const { createSes } = await import('../sending/deliver/ses/ses.ts');
  const { region, accessKeyId, secretAccessKey, configurationSet, endpoint } = ses;
  return createSes({ region, accessKeyId, secretAccessKey, configurationSet, endpoint, logger });
}

async function createDirectProvider(
  stack: AsyncDisposableStack,
  database: Database,
  config: Config,
  logger: Logger,
): Promise<Provider> {
  // Loaded where it is used: the other providers start sooner without it.
  const [{ createDirect }, { Shaping }, { StsPolicies }, { TlsResults }, { GuardedClient }] =
    await Promise.all([
      import('../sending/deliver/direct/direct.ts'),
      import('../sending/deliver/direct/shaping.ts'),
      import('../sending/deliver/direct/sts-policies.ts'),
      import('../sending/deliver/direct/tls-results.ts'),
      import('../net/guarded-client.ts'),
    ]);
  const { environment, hostname, mxPort } = config;
  const resolver = new DnsResolver(config.dns);
  const client = stack.use(
    new GuardedClient({
      allowLoopback: environment === 'development',
      maxConnectionsPerOrigin: 1,
      dns: config.dns,
    }),
  );
  const tlsResults = new TlsResults({ database, logger });
  const timer = setInterval(() => void tlsResults.flush(), FLUSH_TLS_RESULTS_MS);
  stack.defer(async () => {
    clearInterval(timer);
    await tlsResults.flush();
  });
  const shaping = await Shaping.open({ file: config.shaping, logger });
  stack.defer(() => shaping.close());
  const stsPolicies = new StsPolicies({ database, resolver, client, tlsResults, logger });
  return createDirect({
    heloName: hostname,
    resolver,
    mxPort,
    environment,
    shaping,
    stsPolicies,
    tlsResults,
  });
}
