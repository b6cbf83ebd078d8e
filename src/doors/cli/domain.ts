import { type Command, Option } from 'commander';
import { readClaims, recordsOf } from '../../domains/claim.ts';
import { domainBody } from '../../domains/domain-body.ts';
import { choiceOf, valueOf } from '../../domains/domain-details.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { changeDomainMail, type DomainMail, mailFields } from '../../domains/mx/change-mail.ts';
import {
  changeDomainTracking,
  type DomainTracking,
  SENDING_DOMAIN_TTL_MS,
} from '../../domains/sending-domains.ts';
import { verifyManually } from '../../domains/verify-manually.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { isNetwork } from '../../net/networks.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import {
  example,
  json,
  noSuch,
  print,
  projectOption,
  type ProjectOptions,
  withDatabase,
  untilServersKnow,
  withProject,
} from './command.ts';
import { addDeclared } from './declared.ts';
import { MANUALLY_VERIFIED, listOf } from './domain-records.ts';
import {
  addToInstallation,
  type InstallationOptions,
  installationOption,
  isOfProject,
  removeFromInstallation,
  showOfInstallation,
} from './domain-installation.ts';
import { rotateDkim, showDomain } from './domain-show.ts';
import { age, printList } from './table.ts';

const CHOICES = ['on', 'off', 'inherit'] as const;
const LOCAL_CHOICES = ['on', 'off', 'auto'] as const;
/** Maximum number of hosts in `--mx`. The MX records of a domain do not reasonably name more hosts. */
const MAX_GATEWAYS = 20;
type Choice = (typeof CHOICES)[number];

export function defineDomain(domain: Command): void {
  domain
    .command('add')
    .description('add a domain to a project or to the installation, and show the DNS records to publish')
    .addOption(projectOption('the project that the domain is added to').makeOptionMandatory(false))
    .addOption(installationOption)
    .requiredOption('--domain <domain>', 'the name of the domain: acme.example')
    .option('--region <region>', 'a label stored with the domain; it has no effect')
    .option(
      '--verified',
      'for trials, not in production: mark the domain as verified without DNS records, even if it is already added',
    )
    .addOption(json)
    .addHelpText('after', example('domain add --project default --domain acme.example'))
    .action(async (options: InstallationOptions & Pick<AddOptions, 'region' | 'verified'>) =>
      isOfProject(options) ? addDomain(options) : addToInstallation(options),
    );
  domain
    .command('list')
    .description('list the domains of a project, the hosted domain first')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('domain list --project default'))
    .action(listDomains);
  domain
    .command('set')
    .description(
      'change the tracking or the mail delivery of a domain; running servers apply it before this command returns',
    )
    .addOption(projectOption('the project of the domain'))
    .requiredOption('--domain <domain>', 'the name of the domain: acme.example')
    .addOption(new Option('--track-opens <choice>', 'track when emails are opened').choices(CHOICES))
    .addOption(new Option('--track-clicks <choice>', 'track when links are clicked').choices(CHOICES))
    .addOption(
      new Option(
        '--local <choice>',
        'deliver mail from this installation to its mailboxes locally: on, off, or auto (depends on its MX records)',
      ).choices(LOCAL_CHOICES),
    )
    .option(
      '--mx <host>',
      'a gateway or backup MX that forwards mail of the domain to this installation; repeat for each host, or "none"',
      (host: string, hosts: readonly string[] | undefined) => [...(hosts ?? []), host],
    )
    .option(
      '--sends-elsewhere <network>',
      'an IP address or range that sends mail of the domain without SPF and DKIM; repeat for each, or "none"',
      (network: string, networks: readonly string[] | undefined) => [...(networks ?? []), network],
    )
    .addOption(json)
    .addHelpText(
      'after',
      example('domain set --project default --domain news.acme.example --track-opens off'),
    )
    .action(setDomain);
  domain
    .command('show')
    .description('show a domain, its records, and the records found in DNS')
    .addOption(projectOption('the project of the domain').makeOptionMandatory(false))
    .addOption(installationOption)
    .requiredOption('--domain <domain>', 'the name of the domain: acme.example')
    .option('--zone', 'print the records as a zone file')
    .addOption(json)
    .addHelpText('after', example('domain show --project default --domain acme.example --zone'))
    .action(async (options: InstallationOptions & { zone?: true }) =>
      isOfProject(options) ? showDomain(options) : showOfInstallation(options),
    );
  domain
    .command('remove')
    .description("remove a domain for the service's own mail, and its DKIM keys, from the installation")
    .requiredOption(
      '--installation',
      'required; projects remove their domains in the dashboard or through the API',
    )
    .requiredOption('--domain <domain>', 'the name of the domain: service.example')
    .option('--yes', 'confirm the deletion')
    .addOption(json)
    .addHelpText('after', example('domain remove --installation --domain service.example --yes'))
    .action(removeFromInstallation);
  domain
    .command('rotate-dkim')
    .description('create the next DKIM key of a domain; it signs mail once its record is found in DNS')
    .addOption(projectOption('the project of the domain'))
    .requiredOption('--domain <domain>', 'the name of the domain: acme.example')
    .option('--cancel', 'delete the next key')
    .addOption(json)
    .addHelpText('after', example('domain rotate-dkim --project default --domain acme.example'))
    .action(rotateDkim);
  domain
    .command('hosted')
    .description('show the DNS records that the operator publishes for the hosted domain')
    .addOption(json)
    .addHelpText('after', example('domain hosted'))
    .action(showHostedDomain);
  addDeclared(domain);
}

interface AddOptions extends ProjectOptions {
  domain: string;
  region?: string;
  verified?: true;
}

const NOT_HERE =
  'not available with POSTHORN_ENV=production: publish the DNS records of the domain, which is then verified automatically';

/** Adds a domain and prints the same response as POST /v1/domains. */
async function addDomain(options: AddOptions): Promise<void> {
  const { domain, region, verified } = options;
  await withProject(options.project, async (core, projectId) => {
    const { config, database } = core;
    if (verified === true && config.environment === 'production')
      throw validationError({ verified: NOT_HERE });
    await core.unseal();
    const { domains } = core;
    const add = () => domains.create(projectId, { domain, ...(region !== undefined && { region }) });
    if (verified !== true) {
      const added = await add();
      const heading = [`id: ${added.id}`, `domain: ${added.domain}`];
      return print(options.json, added, listOf(heading, added.records, config.hostname));
    }
    await add().catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'already-exists')) throw error;
    });
    const name = parseDomain(domain);
    const id = typeof name === 'object' ? null : await verifyManually(database, projectId, name);
    const marked = id === null ? null : await domains.get(projectId, id);
    if (marked === null) throw noSuch(options.project, 'domain');
    print(
      options.json,
      marked,
      [`id: ${marked.id}`, `domain: ${marked.domain}`, `status: ${MANUALLY_VERIFIED}`].join('\n'),
    );
  });
}

async function listDomains({ project, json }: ProjectOptions): Promise<void> {
  await withProject(
    project,
    async ({ database, config, mailAccess, trustsManualVerification }, projectId) => {
      const claims = await readClaims(database, projectId, config.hostedDomain);
      printList(
        json,
        {
          data: claims.map((claim) => domainBody(claim, { mailAccess, trustsManualVerification })),
        },
        {
          columns: [{ title: 'ID' }, { title: 'AGE' }, { title: 'STATUS' }, { title: 'DOMAIN', isCut: true }],
          rowOf: ({ id, domain, status, is_hosted, verified_by_hand, created_at }) => [
            id,
            age(created_at),
            is_hosted ? 'hosted' : verified_by_hand === true ? 'verified manually' : status,
            domain,
          ],
          none: 'No domains.',
        },
      );
    },
  );
}

/** Resolves after every running server uses the change. */
async function setDomain(
  options: ProjectOptions & {
    domain: string;
    trackOpens?: Choice;
    trackClicks?: Choice;
    local?: (typeof LOCAL_CHOICES)[number];
    mx?: readonly string[];
    sendsElsewhere?: readonly string[];
  },
): Promise<void> {
  const { trackOpens, trackClicks, local, mx, sendsElsewhere } = options;
  const changes: Partial<DomainTracking> = {
    ...(trackOpens !== undefined && { trackOpens: valueOf(trackOpens) }),
    ...(trackClicks !== undefined && { trackClicks: valueOf(trackClicks) }),
  };
  const mailChanges: Partial<DomainMail> = {
    ...(local !== undefined && { deliverLocally: local === 'auto' ? null : local === 'on' }),
    ...(mx !== undefined && { gateways: gatewaysOf(mx) }),
    ...(sendsElsewhere !== undefined && { sendsElsewhere: networksOf(sendsElsewhere) }),
  };
  if (Object.keys({ ...changes, ...mailChanges }).length === 0)
    throw validationError({
      options: 'choose what to change: --track-opens, --track-clicks, --local, --mx or --sends-elsewhere',
    });
  const name = parseDomain(options.domain);
  if (typeof name === 'object') throw validationError({ domain: name.error });
  await withProject(options.project, async ({ database }, projectId) => {
    const tracked =
      Object.keys(changes).length > 0 ? await changeDomainTracking(database, projectId, name, changes) : null;
    const mail =
      Object.keys(mailChanges).length > 0
        ? await changeDomainMail(database, projectId, name, mailChanges)
        : null;
    await untilServersKnow(database, SENDING_DOMAIN_TTL_MS);
    print(options.json, {
      domain: name,
      ...(tracked !== null && {
        track_opens: choiceOf(tracked.trackOpens),
        track_clicks: choiceOf(tracked.trackClicks),
      }),
      ...(mail !== null && mailFields(mail)),
    });
  });
}

/** @throws AppError validation-failed if there are too many hosts, a host is invalid, or "none" is given together with hosts */
function gatewaysOf(hosts: readonly string[]): string[] {
  if (hosts.includes('none')) {
    if (hosts.length > 1) throw validationError({ mx: 'use either host names or "none", not both' });
    return [];
  }
  if (hosts.length > MAX_GATEWAYS) throw validationError({ mx: `at most ${MAX_GATEWAYS} hosts are allowed` });
  return hosts.map((host) => {
    const name = parseDomain(host);
    if (typeof name === 'object') throw validationError({ mx: `${host}: ${name.error}` });
    return name;
  });
}

/** @throws AppError validation-failed if there are too many networks, one is invalid, or "none" is given together with networks */
function networksOf(networks: readonly string[]): string[] {
  if (networks.includes('none')) {
    if (networks.length > 1)
      throw validationError({ sends_elsewhere: 'use either networks or "none", not both' });
    return [];
  }
  if (networks.length > MAX_GATEWAYS)
    throw validationError({ sends_elsewhere: `at most ${MAX_GATEWAYS} networks are allowed` });
  const invalid = networks.find((network) => !isNetwork(network));
  if (invalid !== undefined)
    throw validationError({
      sends_elsewhere: `${invalid} is not an IP address or a range such as 192.0.2.0/28`,
    });
  return [...networks];
}

/** Prints the records that the operator publishes for the hosted domain. */
async function showHostedDomain(options: { json?: boolean }): Promise<void> {
  await withDatabase(async (core) => {
    const { database } = core;
    const { hostedDomain, hostname } = core.config;
    await ensureHostedDomain(database, await core.unseal(), hostedDomain);
    const claims = await readClaims(database, HOSTED_PROJECT_ID, hostedDomain);
    const keys = claims.find(({ name }) => name === hostedDomain)?.keys ?? [];
    const records = recordsOf({ name: hostedDomain, keys, hasMailboxes: true }, core.mailAccess);
    const heading = [`domain: ${hostedDomain}`];
    print(options.json, { domain: hostedDomain, records }, listOf(heading, records, hostname));
  });
}
