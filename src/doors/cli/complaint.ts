import type { Command } from 'commander';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { validationError } from '../../model/app-error.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { example, json, print, withDatabase } from './command.ts';

export function defineComplaint(complaint: Command): void {
  complaint
    .command('address')
    .description('show the address to register with feedback loops for a domain')
    .requiredOption('--domain <domain>', 'the domain that mail is sent from: acme.example')
    .addOption(json)
    .addHelpText('after', example('complaint address --domain acme.example'))
    .action(showComplaintAddress);
}

async function showComplaintAddress(options: { domain: string; json?: boolean }): Promise<void> {
  const domain = parseDomain(options.domain);
  if (typeof domain === 'object') throw validationError({ domain: domain.error });
  await withDatabase(async (core) => {
    await core.unseal();
    print(options.json, { address: core.returnPaths.complaintAddress(`${MAIL_FROM_LABEL}.${domain}`) });
  });
}
