/** Makes the provider `ses`, which uses the test server instead of Amazon SES. */
import { pino } from 'pino';
import { FULL_SHARE } from '../../src/concurrency/share.ts';
import type { Provider } from '../../src/sending/deliver/provider.ts';
import { Ses, type SesOptions } from '../../src/sending/deliver/ses/ses.ts';
import { eventually } from './eventually.ts';
import { KEY, REGION, type SesServer } from './ses-server.ts';

export interface TestSes extends Provider, AsyncDisposable {
  /** The logged lines. */
  readonly logged: string[];
}

/** Resolves once the provider has capacity. */
export async function sesTo(
  server: Pick<SesServer, 'origin'>,
  options: Partial<SesOptions> = {},
): Promise<TestSes> {
  const logged: string[] = [];
  const provider = new Ses({
    ...KEY,
    region: REGION,
    configurationSet: null,
    endpoint: server.origin,
    share: () => FULL_SHARE,
    logger: pino({}, { write: (line: string) => logged.push(line) }),
    ...options,
  });
  await eventually(() => provider.capacity > 0, 10_000);
  return Object.assign(provider, { logged, [Symbol.asyncDispose]: () => provider.close() });
}
