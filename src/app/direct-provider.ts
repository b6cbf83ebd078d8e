import { DnsResolver } from '../net/dns.ts';
import { Direct } from '../sending/deliver/direct/direct.ts';
import { Shaping } from '../sending/deliver/direct/shaping.ts';
import { StsPolicies } from '../sending/deliver/direct/sts-policies.ts';
import { TlsResults } from '../sending/deliver/direct/tls-results.ts';
import type { Provider } from '../sending/deliver/provider.ts';
import type { ProviderContext } from './providers.ts';

const FLUSH_TLS_RESULTS_MS = 60_000;

export async function createDirectProvider(context: ProviderContext): Promise<Provider> {
  const { stack, core, config, logger, presence, timings } = context;
  const { database } = core;
  const { environment, hostname, mxPort } = config;
  const resolver = new DnsResolver(config.dns);
  const client = core.openClient(1);
  const tlsResults = new TlsResults({ database, logger });
  const timer = setInterval(() => void tlsResults.flush(), FLUSH_TLS_RESULTS_MS);
  stack.defer(async () => {
    clearInterval(timer);
    await tlsResults.flush();
  });
  const shaping = await Shaping.open({ file: config.shaping, logger });
  stack.defer(() => shaping.close());
  const stsPolicies = new StsPolicies({ database, resolver, client, tlsResults, logger });
  const direct = new Direct({
    heloName: hostname,
    resolver,
    mxPort,
    environment,
    shaping,
    stsPolicies,
    tlsResults,
    share: () => presence.shareOf('worker'),
    ...(timings !== undefined && { timings }),
  });
  presence.onChange(() => direct.adapt());
  return direct;
}
