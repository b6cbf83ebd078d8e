/** Builds mail that passes no queue. Its provider is opened for the first message. No logic. */
import { ImmediateMail } from '../alerts/email/immediate-mail.ts';
import { FULL_SHARE } from '../concurrency/share.ts';
import { ServiceMail } from '../sending/service-mail/service-mail.ts';
import type { BaseCore } from './base-core.ts';

/** The connections of this process to a smart host, in addition to those of the workers. */
const CONNECTIONS = 2;
/** Shorter than for other mail, so that an attempt ends about when its deadline is over. */
const TIMINGS = {
  connectMs: 10_000,
  setUpMs: 15_000,
  commandMs: 20_000,
  dataMs: 20_000,
  blockMs: 20_000,
  dotMs: 60_000,
};

/** The process need not be a worker: its few messages take no part in the limits that workers share. */
export function createImmediateMail(core: BaseCore): ImmediateMail {
  const { config, database, keyring, logger, sealer, stack, trustsManualVerification } = core;
  const { mailFrom: from, hostedDomain, provider } = config;
  return new ImmediateMail({
    database,
    keyring,
    mail: new ServiceMail({ from, hostedDomain, sealer, trustsManualVerification }),
    openProvider: async () => {
      if (provider === null) return null;
      const { createProvider } = await import('./providers.ts');
      const opened = await createProvider({
        stack,
        core,
        config: { ...config, smartHostConnections: CONNECTIONS },
        logger,
        presence: { shareOf: () => FULL_SHARE, onChange: () => {} },
        timings: TIMINGS,
      });
      stack.defer(() => opened.close());
      return opened;
    },
  });
}
