import type { Command } from 'commander';
import { MAIL_FROM_LABEL } from '../domains/expected-records.ts';
import { validationError } from '../model/app-error.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { parseDomain } from '../rfc/address/domain.ts';
import { example, json, openSealer, print, withDatabase } from './command.ts';

export function defineComplaint(complaint: Command): void {
  complaint
    .command('address')
    .description('the address to register at feedback loops for a domain')
    .requiredOption('--domain <domain>', 'the domain that mail is sent from: acme.example')
    .addOption(json)
    .addHelpText('after', example('complaint address --domain acme.example'))
    .action(showComplaintAddress);
}

async function showComplaintAddress(options: { domain: string; json?: boolean }): Promise<void> {
  const domain = parseDomain(options.domain);
  if (typeof domain === 'object') throw validationError({ domain: domain.error });
  await withDatabase(async (database, config) => {
    const sealer = await openSealer(database, config);
    const returnPaths = new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY));
    print(options.json, { address: returnPaths.complaintAddress(`${MAIL_FROM_LABEL}.${domain}`) });
  });
}
