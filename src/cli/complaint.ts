import { Command } from 'commander';
import { MAIL_FROM_LABEL } from '../domains/expected-records.ts';
import { validationError } from '../model/app-error.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { parseDomain } from '../rfc/address/domain.ts';
import { json, openSealer, print, withDatabase } from './command.ts';

export const complaint = new Command('complaint').description('feedback loops');
complaint
  .command('address')
  .description('the address to register at feedback loops for a domain')
  .requiredOption('--domain <domain>', 'the domain that mail is sent from: acme.example')
  .addOption(json)
  .action(showComplaintAddress);

async function showComplaintAddress(options: { domain: string; json?: boolean }): Promise<void> {
  const domain = parseDomain(options.domain);
  if (typeof domain === 'object') throw validationError({ domain: domain.error });
  await withDatabase(async (database, config) => {
    const sealer = await openSealer(database, config);
    const returnPaths = new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY));
    print(options.json, { address: returnPaths.complaintAddress(`${MAIL_FROM_LABEL}.${domain}`) });
  });
}
