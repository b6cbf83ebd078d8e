/** `posthorn domain show` and `rotate-dkim`. */
import type { Config } from '../app/config.ts';
import { mailAccess } from '../app/mail-access.ts';
import type { Database } from '../db/database.ts';
import { readClaims } from '../domains/claim.ts';
import { Domains } from '../domains/domains.ts';
import { mailFields, readDomainMail } from '../domains/mx/change-mail.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { parseDomain } from '../rfc/address/domain.ts';
import { noSuch, openSealer, print, type ProjectOptions, withProject } from './command.ts';
import { describeDomain, listOf } from './domain-records.ts';

const UNTIL_SEEN =
  'Leave the record of the key before where it is. Running servers look for this one by themselves, and sign with its key once it is there.';

export async function domainsOf(database: Database, config: Config): Promise<Domains> {
  const sealer = await openSealer(database, config);
  const returnPaths = new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY));
  return new Domains({
    database,
    sealer,
    dnsOf: dnsOfDomains(config.dns, config.environment === 'development'),
    mailAccess: mailAccess(config),
    mxNames: config.mxNames,
    hostedDomain: config.hostedDomain,
    trustsHand: trustsHand(config),
    complaintAddressOf: (domain) => returnPaths.complaintAddress(domain),
  });
}

interface NamedOptions extends ProjectOptions {
  domain: string;
}

/** Runs a command on a domain that a project has. */
async function withDomain(
  { project, domain }: NamedOptions,
  run: (
    domains: Domains,
    projectId: string,
    domainId: string,
    config: Config,
    database: Database,
  ) => Promise<void>,
): Promise<void> {
  await withProject(project, async (database, projectId, config) => {
    const name = parseDomain(domain);
    const claims = await readClaims(database, projectId, config.hostedDomain);
    const claim = claims.find((one) => one.name === name);
    if (claim === undefined) throw noSuch(project, 'domain');
    await run(await domainsOf(database, config), projectId, claim.id, config, database);
  });
}

export async function showDomain(options: NamedOptions & { zone?: true }): Promise<void> {
  await withDomain(options, async (domains, projectId, domainId, _, database) => {
    const shown = await domains.getDetails(projectId, domainId);
    if (shown === null) throw noSuch(options.project, 'domain');
    if (options.zone === true) return void process.stdout.write(shown.zone_file);
    const settings = mailFields(await readDomainMail(database, projectId, domainId));
    print(options.json, { ...shown, mail: { ...shown.mail, ...settings } }, describeDomain(shown, settings));
  });
}

export async function rotateDkim(options: NamedOptions & { cancel?: true }): Promise<void> {
  await withDomain(options, async (domains, projectId, domainId, config) => {
    const change = options.cancel === true ? 'cancelDkimRotation' : 'startDkimRotation';
    const changed = await domains[change](projectId, domainId);
    if (changed === null) throw noSuch(options.project, 'domain');
    const next = changed.records.filter(({ rotation }) => rotation === 'next');
    const heading = [`id: ${changed.id}`, `domain: ${changed.domain}`];
    print(
      options.json,
      changed,
      next.length === 0
        ? [...heading, 'No other key is waited for.'].join('\n')
        : `${listOf(heading, next, config.hostname)}\n${UNTIL_SEEN}`,
    );
  });
}
