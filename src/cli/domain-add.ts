import { findProjectByName } from '../accounts/projects.ts';
import { Domains } from '../domains/domains.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import { printRecords } from './print-records.ts';
import { openSealer, withDatabase } from './with-database.ts';

interface Options {
  project: string;
  domain: string;
  region?: string;
  json?: boolean;
}

/** Prints what POST /v1/domains answers. */
export async function addDomain({ project, domain, region, json }: Options): Promise<void> {
  await withDatabase(async (database, config) => {
    const projectId = await findProjectByName(database, project);
    const domains = new Domains({
      database,
      sealer: await openSealer(database, config),
      dnsOf: dnsOfDomains(config.dns, config.environment === 'development'),
      hostname: config.hostname,
      hostedDomain: config.hostedDomain,
    });
    const added = await domains.create(projectId, { domain, ...(region === undefined ? {} : { region }) });
    if (json === true) process.stdout.write(`${JSON.stringify(added)}\n`);
    else printRecords([`id: ${added.id}`, `domain: ${added.domain}`], added.records);
  });
}
