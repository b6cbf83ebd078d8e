/** `posthorn domain add --installation`, `domain show --installation` and `domain remove --installation`. */
import { Option } from 'commander';
import { addServiceDomain, readServiceDomain } from '../../domains/own-service-domains.ts';
import { removeServiceDomain } from '../../domains/remove-service-domain.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { senderOf } from '../../sending/service-mail/service-mail.ts';
import { print, withDatabase } from './command.ts';
import { describeServiceDomain, keysOf, listOf } from './domain-records.ts';

export interface InstallationOptions {
  domain: string;
  installation?: true;
  project?: string;
  json?: boolean;
}

/** The option of commands that accept a domain of a project or of the installation. */
export const installationOption = new Option(
  '--installation',
  "use the installation instead of a project: a domain for the service's own mail (POSTHORN_MAIL_FROM), with its own DKIM keys",
).conflicts(['project', 'region', 'verified', 'zone']);

/** @throws AppError validation-failed if neither --project nor --installation is given */
export function isOfProject<Options extends InstallationOptions>(
  options: Options,
): options is Options & { project: string } {
  if (options.installation === true) return false;
  if (options.project === undefined)
    throw validationError({ project: 'use either --project or --installation' });
  return true;
}

export async function addToInstallation({ domain, json }: InstallationOptions): Promise<void> {
  await withDatabase(async (core) => {
    const { database, mailAccess } = core;
    const { hostedDomain, hostname } = core.config;
    const sealer = await core.unseal();
    const added = await addServiceDomain({ database, sealer, hostedDomain, mailAccess }, domain);
    const heading = [`id: ${added.id}`, `domain: ${added.domain}`, ...keysOf(added)];
    print(json, added, listOf(heading, added.records, hostname));
  });
}

export async function showOfInstallation({ domain, json }: InstallationOptions): Promise<void> {
  const name = parseDomain(domain);
  if (typeof name === 'object') throw validationError({ domain: name.error });
  await withDatabase(async ({ database, mailAccess, config }) => {
    const { hostedDomain } = config;
    const shown = await readServiceDomain({ database, hostedDomain, mailAccess }, name);
    if (shown === null)
      throw new AppError(
        'not-found',
        `The installation has no domain ${name} for its own mail. Add it with domain add --installation.`,
      );
    print(json, shown, describeServiceDomain(shown));
  });
}

export async function removeFromInstallation({
  domain,
  yes,
  json,
}: InstallationOptions & { yes?: true }): Promise<void> {
  const name = parseDomain(domain);
  if (typeof name === 'object') throw validationError({ domain: name.error });
  await withDatabase(async ({ database, config: { mailFrom, hostedDomain } }) => {
    const { hadCopiedKeys } = await removeServiceDomain(database, {
      name,
      // Protects the domain of a server that has not started yet. A running server has recorded its own domain in the database.
      configuredDomain: mailFrom === null ? null : senderOf({ from: mailFrom, hostedDomain }).domain,
      isConfirmed: yes === true,
    });
    const rest = hadCopiedKeys
      ? 'The project from which the keys were copied keeps its own keys.'
      : 'Leave its DKIM records in DNS for a week, because receivers still check mail in transit with them.';
    print(
      json,
      { domain: name, removed: true },
      `The domain ${name} and its keys are removed from the installation. ${rest}`,
    );
  });
}
