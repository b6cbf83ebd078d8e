/**
 * Every default that changed, and every rule that now holds without a setting, for `doctor --upgrade`. The table in
 * docs/operate/upgrade.md has the same rows, and a test holds it to this list. A change of a default adds an entry.
 */
import type { EnvironmentVariables } from '../../app/config.ts';
import { hasHttps } from '../../app/ports.ts';
import { readProviderKind, whyNotSending } from '../../queue/provider-kind.ts';
import { checkMailDomains } from './mailboxes.ts';
import { checkReservedAddresses } from './reserved-addresses.ts';
import { type Touched, touched, touchedAs, unknown, untouched } from './touched.ts';
import type { World } from './world.ts';

export interface ChangedDefault {
  /** In snake case. It does not change. */
  readonly name: string;
  /** The version that has it. */
  readonly since: string;
  /** When it came to the main branch, for installations that follow it. */
  readonly date: string;
  readonly before: string;
  readonly now: string;
  readonly advice: string;
  touches(world: World): Touched | Promise<Touched>;
}

const isSet = (env: EnvironmentVariables, name: string): boolean => (env[name] ?? '') !== '';
const isHttps = ({ config }: World): boolean => config.baseUrl?.startsWith('https:') === true;

/** Of the environment alone. */
function unlessSet(name: string, matters: boolean, otherwise: string) {
  return ({ env }: World): Touched => {
    if (!matters) return untouched(otherwise);
    return isSet(env, name) ? untouched(`${name} is set.`) : touched(`${name} is not set.`);
  };
}

/** The newest first. */
export const CHANGED_DEFAULTS: readonly ChangedDefault[] = [
  {
    name: 'provider_required',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Without POSTHORN_PROVIDER the provider was sandbox, in production too.',
    now: 'In production a new installation does not start without it. An existing one accepts mail and sends nothing.',
    advice: 'Set POSTHORN_PROVIDER on every host to direct, smtp, ses or sandbox.',
    touches: (world) =>
      unlessSet(
        'POSTHORN_PROVIDER',
        world.config.environment === 'production',
        'POSTHORN_ENV is development.',
      )(world),
  },
  {
    name: 'provider_kind',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail went to the provider that was set when its turn came.',
    now: 'Mail goes to the kind of provider, sandbox or real, that it was accepted for. A process of the other kind sends nothing.',
    advice: 'Let all hosts name the same kind. To change it, see "queue provider".',
    async touches({ config, database }) {
      if ('error' in database) return unknown('It cannot be told without the database.');
      const reason = whyNotSending(config, await readProviderKind(database.opened));
      return reason === null
        ? untouched(
            'The provider of this process is of the kind of the installation, or the installation has none yet.',
          )
        : touched(reason);
    },
  },
  {
    name: 'service_sender',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'The service wrote to people from noreply@ the hosted domain.',
    now: 'It writes from posthorn@ the hosted domain.',
    advice: 'Set POSTHORN_MAIL_FROM to keep the former address, and tell users who filter by it.',
    touches: unlessSet('POSTHORN_MAIL_FROM', true, ''),
  },
  {
    name: 'local_delivery',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail for a mailbox here was delivered here, whatever its domain.',
    now: 'That holds on the hosted domain, and on domains that were verified and whose MX is here. Other mail goes to the provider.',
    advice:
      'Point the MX of these domains here, name a gateway with "domain set --mx", or decide with "domain set --local".',
    touches: async (world) => touchedAs(await checkMailDomains(world)),
  },
  {
    name: 'postmaster',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail to postmaster and abuse of a domain went to its first mailbox.',
    now: 'Without a mailbox, alias, catch-all or POSTHORN_POSTMASTER it is kept for operators under System, for 30 days.',
    advice: 'Set POSTHORN_POSTMASTER to a mailbox here that you read.',
    touches: (world) =>
      unlessSet(
        'POSTHORN_POSTMASTER',
        world.config.roles.includes('smtp'),
        'This instance does not run the role smtp.',
      )(world),
  },
  {
    name: 'reserved_addresses',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Any name of the hosted domain could be a mailbox, an alias or a sender.',
    now: 'Names of the operator and the sender of service mail cannot. Existing ones receive and do not send.',
    advice: 'Let their owners send from another address.',
    touches: async (world) => touchedAs(await checkReservedAddresses(world)),
  },
  {
    name: 'hosted_addresses',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'An address of the hosted domain was free once its mailbox was deleted.',
    now: 'It never passes to another project, unless an operator releases it.',
    advice: 'Use "mailbox release" where another project may have the address.',
    touches: () => unknown('It matters when a project asks for an address that another one had.'),
  },
  {
    name: 'account_links',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Links for another password and invitations were mailed to every address.',
    now: 'They are not mailed to addresses that this server receives mail for, unless the user also proves a second factor.',
    advice: 'Create reset links under People, or with "user reset". Hand invitation links over.',
    touches: () => unknown('It matters to users who sign in with an address of a mailbox here.'),
  },
  {
    name: 'key_scopes',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Developers could create keys with full access, domains:write and mailboxes:write.',
    now: 'A key can do no more than its maker. Existing keys keep their scopes.',
    advice: 'Look for marked keys on the page API keys of each project.',
    touches: () => unknown('It matters to developers who create keys.'),
  },
  {
    name: 'https_redirect',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Pages were served over plain http too.',
    now: 'With an https POSTHORN_BASE_URL they redirect to https, and answers carry Strict-Transport-Security for a year.',
    advice:
      'Behind a proxy that ends TLS, set POSTHORN_TRUSTED_PROXIES and pass on X-Forwarded-Proto, or browsers redirect without end.',
    touches(world) {
      if (!isHttps(world)) return untouched('POSTHORN_BASE_URL is not https.');
      const { trustedProxies } = world.config;
      if (hasHttps(world.config) || trustedProxies.length > 0)
        return untouched(
          'POSTHORN_BASE_URL is https, and this instance knows which requests came over https.',
        );
      return touched('POSTHORN_BASE_URL is https, and POSTHORN_TRUSTED_PROXIES is not set.');
    },
  },
  {
    name: 'foreign_host',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'In development the applications answered under every host name.',
    now: 'With POSTHORN_BASE_URL set they reject other host names.',
    advice: 'Open them at POSTHORN_BASE_URL.',
    touches({ config, env }) {
      if (config.environment === 'production') return untouched('POSTHORN_ENV is production.');
      return isSet(env, 'POSTHORN_BASE_URL')
        ? touched('POSTHORN_ENV is development, and POSTHORN_BASE_URL is set.')
        : untouched('POSTHORN_BASE_URL is not set.');
    },
  },
  {
    name: 'bare_lf',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail from outside with a bare LF was rejected.',
    now: 'It is normalised. A bare CR, and a dot alone on a line beside a bare LF, get 521.',
    advice: 'Correct programs that hand in messages and get 521: lines end with CR LF.',
    touches({ config }) {
      const isOpen = config.roles.includes('smtp') || config.roles.includes('submission');
      return isOpen
        ? unknown('It matters to programs that write lines with other ends.')
        : untouched('This instance takes no mail by SMTP.');
    },
  },
  {
    name: 'sslmode',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'sslmode=require in POSTHORN_DATABASE_URL checked the certificate; prefer and allow were taken.',
    now: 'sslmode has the meanings of libpq: require encrypts and does not check, and prefer and allow are rejected.',
    advice: 'Use sslmode=verify-full with sslrootcert.',
    touches({ config }) {
      const mode = /[?&]sslmode=([a-z-]+)/.exec(config.databaseUrl ?? '')?.[1];
      if (mode === undefined) return untouched('POSTHORN_DATABASE_URL has no sslmode.');
      return mode === 'require'
        ? touched('POSTHORN_DATABASE_URL has sslmode=require.')
        : untouched(`POSTHORN_DATABASE_URL has sslmode=${mode}.`);
    },
  },
  {
    name: 'database_wait',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'A start ended when PostgreSQL did not answer.',
    now: 'It waits, with /healthz 200 and /readyz 503. It ends with 78 for what waiting cannot fix.',
    advice: 'Let probes use /readyz, and let no supervisor restart a service because of it.',
    touches: ({ config }) =>
      config.databaseUrl === null
        ? untouched('The embedded PostgreSQL starts with the service.')
        : touched('POSTHORN_DATABASE_URL is set.'),
  },
  {
    name: 'dead_claims',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail that a dead worker had claimed waited for its lease, about 34 seconds.',
    now: 'Mail that it had not begun goes to other workers after about 7 seconds.',
    advice: 'Nothing. Mail that it had begun waits for the lease as before.',
    touches: ({ config }) =>
      config.databaseUrl === null
        ? untouched('All workers are on this machine.')
        : touched('Workers of several machines can share this database.'),
  },
  {
    name: 'import_exit_code',
    since: '0.2.0',
    date: '2026-11-28',
    before: '"mailbox import" ended with 0 when it left messages out.',
    now: 'It counts them and ends with 3.',
    advice: 'Let scripts expect 3.',
    touches: () => unknown('It matters to scripts that import mailboxes.'),
  },
  {
    name: 'roles',
    since: '0.2.0',
    date: '2026-11-23',
    before: 'Without POSTHORN_ROLES an instance had the roles http, smtp and worker.',
    now: 'It has submission, imap and pop3 too, each with ports of its own.',
    advice: 'Open these ports in the firewall, or name the roles in POSTHORN_ROLES.',
    touches: unlessSet('POSTHORN_ROLES', true, ''),
  },
  {
    name: 'listen',
    since: '0.2.0',
    date: '2026-11-22',
    before: 'In development the ports were open to all addresses.',
    now: 'In development they are open to this machine alone.',
    advice: 'Set POSTHORN_LISTEN=:: where other machines or containers reach this one.',
    touches: (world) =>
      unlessSet(
        'POSTHORN_LISTEN',
        world.config.environment === 'development',
        'POSTHORN_ENV is production.',
      )(world),
  },
  {
    name: 'sandbox_copies',
    since: '0.2.0',
    date: '2026-11-22',
    before: 'Copies of messages that the sandbox took were stored without limit of time.',
    now: 'They are deleted after 7 days.',
    advice: 'Store elsewhere what you need of them: "email raw".',
    touches: ({ config }) =>
      config.provider === 'sandbox'
        ? touched('The provider is sandbox.')
        : untouched('The provider is not sandbox.'),
  },
];
