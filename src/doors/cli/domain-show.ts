/** `posthorn domain show` and `posthorn domain rotate-dkim`. */
import type { Core } from '../../app/core.ts';
import { readClaims } from '../../domains/claim.ts';
import { mailFields, readDomainMail } from '../../domains/mx/change-mail.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { noSuch, print, type ProjectOptions, withProject } from './command.ts';
import { describeDomain, listOf } from './domain-records.ts';

const UNTIL_SEEN =
  'Leave the record of the previous key in DNS. Running servers check for the new record, and sign with the new key once they find it.';

interface NamedOptions extends ProjectOptions {
  domain: string;
}

/** Runs a command on a domain of a project. */
async function withDomain(
  { project, domain }: NamedOptions,
  run: (core: Core, projectId: string, domainId: string) => Promise<void>,
): Promise<void> {
  await withProject(project, async (core, projectId) => {
    const name = parseDomain(domain);
    const claims = await readClaims(core.database, projectId, core.config.hostedDomain);
    const claim = claims.find((one) => one.name === name);
    if (claim === undefined) throw noSuch(project, 'domain');
    await core.unseal();
    await run(core, projectId, claim.id);
  });
}

export async function showDomain(options: NamedOptions & { zone?: true }): Promise<void> {
  await withDomain(options, async ({ domains, database }, projectId, domainId) => {
    const shown = await domains.getDetails(projectId, domainId);
    if (shown === null) throw noSuch(options.project, 'domain');
    if (options.zone === true) return void process.stdout.write(shown.zone_file);
    const settings = mailFields(await readDomainMail(database, projectId, domainId));
    print(options.json, { ...shown, mail: { ...shown.mail, ...settings } }, describeDomain(shown, settings));
  });
}

export async function rotateDkim(options: NamedOptions & { cancel?: true }): Promise<void> {
  await withDomain(options, async ({ domains, config }, projectId, domainId) => {
    const change = options.cancel === true ? 'cancelDkimRotation' : 'startDkimRotation';
    const changed = await domains[change](projectId, domainId);
    if (changed === null) throw noSuch(options.project, 'domain');
    const next = changed.records.filter(({ rotation }) => rotation === 'next');
    const heading = [`id: ${changed.id}`, `domain: ${changed.domain}`];
    print(
      options.json,
      changed,
      next.length === 0
        ? [...heading, 'There is no next key.'].join('\n')
        : `${listOf(heading, next, config.hostname)}\n${UNTIL_SEEN}`,
    );
  });
}
