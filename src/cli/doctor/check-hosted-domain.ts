import { readClaims } from '../../domains/claim.ts';
import { type ExpectedRecord, expectedRecords } from '../../domains/expected-records.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { checkKey, lookUpRecords } from '../../domains/look-up-records.ts';
import { dnsOfDomains } from '../../net/zone-dns.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether the records that let every project send from the hosted domain are published. */
export async function checkHostedDomain({ config, database }: World): Promise<Finding> {
  const { hostedDomain, hostname } = config;
  if (hostedDomain === 'localhost' || hostedDomain.endsWith('.localhost')) {
    return warning(
      `The hosted domain is ${hostedDomain}: nobody outside takes mail from it.`,
      'Set POSTHORN_HOSTED_DOMAIN to a domain of yours, or send only from domains that projects have added.',
    );
  }
  if ('error' in database) {
    return problem(
      `The keys of ${hostedDomain} are in the database, which cannot be read.`,
      'Put the database right first: see its check.',
    );
  }
  const claims = await readClaims(database.opened, HOSTED_PROJECT_ID, hostedDomain);
  const keys = claims.find(({ name }) => name === hostedDomain)?.keys ?? [];
  if (keys.length === 0) {
    return problem(
      `The hosted domain ${hostedDomain} has no keys yet.`,
      'Run "posthorn domain hosted": it makes them, and prints the records to publish.',
    );
  }
  return look(config, expectedRecords(hostedDomain, keys, hostname));
}

async function look(
  { dns, environment, hostedDomain }: World['config'],
  records: readonly ExpectedRecord[],
): Promise<Finding> {
  const resolver = dnsOfDomains(dns, environment === 'development')(hostedDomain);
  const checks = await lookUpRecords(resolver, hostedDomain, records);
  const wrong = records.flatMap((record) => {
    const check = checks[checkKey(record)];
    return check?.error == null ? [] : [{ ...check, error: check.error, required: record.required }];
  });
  if (wrong.length === 0) return ok(`The ${records.length} records of ${hostedDomain} are published.`);
  const seen = wrong.map(({ error }) => error).join(' ');
  const advice = 'Publish what "posthorn domain hosted" prints.';
  return wrong.some(({ required, status }) => required && status === 'failed')
    ? problem(seen, advice)
    : warning(seen, advice);
}
