import { DEFAULT_SEALERS } from '../receiving/authenticate/trusted-sealers.ts';
import { Examiner, type ExaminerOptions } from '../receiving/examine/examiner.ts';
import { Learned } from '../receiving/spam/learned.ts';
import { OwnDomains } from '../receiving/spam/own-domains.ts';
import type { BaseCore } from './base-core.ts';

/** Creates the service that checks whether messages are genuine. The core closes the service. */
export function createExaminer(
  { config, database, stack, logger, trustsManualVerification }: BaseCore,
  others: Pick<ExaminerOptions, 'rspamd' | 'blocklists'>,
): Examiner {
  const { hostname, dns, arcSealers } = config;
  return stack.use(
    new Examiner({
      hostname,
      dns,
      sealers: arcSealers.flatMap((each) => (each === 'default' ? [...DEFAULT_SEALERS] : [each])),
      learned: new Learned(database),
      ownDomains: new OwnDomains(database, trustsManualVerification),
      ...others,
      logger,
    }),
  );
}
