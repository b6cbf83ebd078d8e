/** Composes the service in the process of a test, with one connection pool. */
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { type Config, readConfig } from '../../src/app/config.ts';
import type { CoreInputs } from '../../src/app/base-core.ts';
import { Core } from '../../src/app/core.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { newUuid } from '../../src/model/ids.ts';
import type { TestDatabase } from './postgres.ts';

export const HOSTED_DOMAIN = 'hosted.example';

/** Composes the service so that all lanes use the connection pool of the test. @param inputs override the defaults for tests */
export async function testCore(
  { database, url, sealer }: Pick<TestDatabase, 'database' | 'url'> & { sealer: Sealer },
  config: Partial<Config> = {},
  inputs: Partial<CoreInputs> = {},
): Promise<Core> {
  const core = new Core({
    config: {
      ...readConfig({
        POSTHORN_HOSTED_DOMAIN: HOSTED_DOMAIN,
        POSTHORN_HOSTNAME: `mx.${HOSTED_DOMAIN}`,
        POSTHORN_DATA: tmpdir(),
        POSTHORN_DEFAULT_PLAN: 'paid',
      }),
      ...config,
    },
    database,
    databaseUrl: url,
    openLane: () => database,
    logger: pino({ level: 'silent' }),
    processId: newUuid(),
    unseal: () => Promise.resolve(sealer),
    baseUrl: () => 'http://localhost',
    ...inputs,
  });
  await core.unseal();
  return core;
}
