/**
 * Every changed default, and every new rule that applies without a setting, for `doctor --upgrade`. Each change to a default must add an
 * entry. The table in docs/operate/upgrade.md has the same rows, and a test compares the table with this list.
 */
import { sql } from 'kysely';
import type { EnvironmentVariables } from '../../app/config.ts';
import { hasHttps } from '../../app/ports.ts';
import { readProviderKind, whyNotSending } from '../../queue/provider-kind.ts';
import { checkMailDomains } from './mailboxes.ts';
import { checkReservedAddresses } from './reserved-addresses.ts';
import { type Touched, touched, touchedAs, unknown, untouched } from './touched.ts';
import type { World } from './world.ts';

export interface ChangedDefault {
  /** The name of the change, in snake case. A name never changes. */
  readonly name: string;
  /** The first version with the change. */
  readonly since: string;
  /** The date of the change on the main branch, for installations that follow the main branch. */
  readonly date: string;
  readonly before: string;
  readonly now: string;
  readonly advice: string;
  touches(world: World): Touched | Promise<Touched>;
}

const isSet = (env: EnvironmentVariables, name: string): boolean => (env[name] ?? '') !== '';
const isHttps = ({ config }: World): boolean => config.baseUrl?.startsWith('https:') === true;

/**
 * A change that affects an installation unless a variable is set.
 * @param matters false if this installation is never affected
 * @param otherwise the reason, if `matters` is false
 */
function unlessSet(name: string, matters: boolean, otherwise: string) {
  return ({ env }: World): Touched => {
    if (!matters) return untouched(otherwise);
    return isSet(env, name) ? untouched(`${name} is set.`) : touched(`${name} is not set.`);
  };
}

/** The changed defaults, newest first. */
export const CHANGED_DEFAULTS: readonly ChangedDefault[] = [
  {
    name: 'smtp_tracking',
    since: '0.2.0',
    date: '2026-11-30',
    before: 'Emails submitted by SMTP with an API key were tracked like emails of the API.',
    now: 'They are tracked only if the project tracks messages submitted by SMTP.',
    advice: 'To track them, run "project set --smtp-tracking on".',
    async touches({ database }) {
      if ('error' in database) return unknown('The effect is unknown without the database.');
      // Before the upgrade, the table lacks the column.
      const { rows } = await sql`
        select from projects p where to_jsonb(p) ->> 'smtp_tracking' is distinct from 'true' and (
          p.track_opens or p.track_clicks
          or exists (select from domains d where d.project_id = p.id and (d.track_opens or d.track_clicks))
        ) limit 1`.execute(database.opened);
      return rows.length > 0
        ? touched('A project tracks opens or clicks, but not of messages submitted by SMTP.')
        : untouched('No project tracks opens or clicks, or each also tracks messages submitted by SMTP.');
    },
  },
  {
    name: 'provider_required',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Without POSTHORN_PROVIDER, the provider was sandbox, even in production.',
    now: 'In production, a new installation does not start without it. An existing one accepts mail but sends nothing.',
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
    before: 'Mail was sent with the provider that was set at the time of sending.',
    now: 'Mail is sent with the kind of provider, sandbox or real, that it was accepted for. A process of the other kind sends nothing.',
    advice: 'Use the same kind of POSTHORN_PROVIDER on all hosts. To change it, run "queue provider".',
    async touches({ config, database }) {
      if ('error' in database) return unknown('The effect is unknown without the database.');
      const reason = whyNotSending(config, await readProviderKind(database.opened));
      return reason === null
        ? untouched(
            'The provider of this process has the kind of the installation, or the installation has no kind yet.',
          )
        : touched(reason);
    },
  },
  {
    name: 'service_sender',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'The service sent its own mail from noreply@ the hosted domain.',
    now: 'The service sends its own mail from posthorn@ the hosted domain.',
    advice:
      'To keep the former address, set POSTHORN_MAIL_FROM. Otherwise notify users who filter mail by that address.',
    touches: unlessSet('POSTHORN_MAIL_FROM', true, ''),
  },
  {
    name: 'local_delivery',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail from this installation to one of its mailboxes was delivered locally, whatever the domain.',
    now: 'This applies only to the hosted domain, and to verified domains whose MX is here. Other mail is sent through the provider.',
    advice:
      'Point the MX of these domains here, name a gateway with "domain set --mx", or use "domain set --local".',
    touches: async (world) => touchedAs(await checkMailDomains(world)),
  },
  {
    name: 'postmaster',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Mail to postmaster and abuse at a domain was delivered to its first mailbox.',
    now: 'Without a mailbox, alias, catch-all or POSTHORN_POSTMASTER, it is stored for operators under System for 30 days.',
    advice: 'Set POSTHORN_POSTMASTER to a local mailbox that you read.',
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
    before: 'Any name at the hosted domain could be a mailbox, an alias or a sender.',
    now: 'Names that belong to the operator and the sender of service mail cannot. Existing ones receive mail but cannot send.',
    advice: 'Ask their owners to send from another address.',
    touches: async (world) => touchedAs(await checkReservedAddresses(world)),
  },
  {
    name: 'hosted_addresses',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'An address of the hosted domain was free once its mailbox was deleted.',
    now: 'Another project can take it only after an operator releases it.',
    advice: 'To let another project take an address, run "mailbox release".',
    touches: () => unknown('This matters if a project needs an address that another project had.'),
  },
  {
    name: 'account_links',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Password reset links and invitations were mailed to every address.',
    now: 'Such links are not mailed to addresses that this server receives mail for, unless the user also has a second factor.',
    advice: 'Create reset links under People or with "user reset", and pass on invitation links yourself.',
    touches: () => unknown('This matters to users who sign in with the address of a local mailbox.'),
  },
  {
    name: 'key_scopes',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Developers could create keys with full access, domains:write and mailboxes:write.',
    now: 'A key cannot do more than the user who created it. Existing keys keep their scopes.',
    advice: 'Check for marked keys on the page API keys of each project.',
    touches: () => unknown('This matters to developers who create keys.'),
  },
  {
    name: 'https_redirect',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'Pages were also served over plain http.',
    now: 'With an https POSTHORN_BASE_URL, they redirect to https, and responses have Strict-Transport-Security for a year.',
    advice:
      'Behind a proxy that terminates TLS, set POSTHORN_TRUSTED_PROXIES and forward X-Forwarded-Proto. Otherwise browsers run into a redirect loop.',
    touches(world) {
      if (!isHttps(world)) return untouched('POSTHORN_BASE_URL is not https.');
      const { trustedProxies } = world.config;
      if (hasHttps(world.config) || trustedProxies.length > 0)
        return untouched(
          'POSTHORN_BASE_URL is https, and this instance can tell which requests arrived over https.',
        );
      return touched('POSTHORN_BASE_URL is https, and POSTHORN_TRUSTED_PROXIES is not set.');
    },
  },
  {
    name: 'foreign_host',
    since: '0.2.0',
    date: '2026-11-28',
    before: 'In development, the applications were served under every host name.',
    now: 'If POSTHORN_BASE_URL is set, they reject other host names.',
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
    now: 'Mail with a bare LF is normalized. A bare CR, or a dot alone on a line next to a bare LF, is rejected with 521.',
    advice: 'Fix programs whose messages are rejected with 521: lines must end with CR LF.',
    touches({ config }) {
      const isOpen = config.roles.includes('smtp') || config.roles.includes('submission');
      return isOpen
        ? unknown('This matters to programs that send other line endings.')
        : untouched('This instance accepts no mail by SMTP.');
    },
  },
  {
    name: 'sslmode',
    since: '0.2.0',
    date: '2026-11-28',
    before:
      'sslmode=require in POSTHORN_DATABASE_URL verified the certificate; prefer and allow were accepted.',
    now: 'sslmode has the meanings of libpq: require encrypts without verification. prefer and allow are rejected.',
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
    before: 'A start failed if PostgreSQL did not answer.',
    now: 'The start waits; meanwhile /healthz returns 200 and /readyz 503. The service exits with 78 if waiting cannot help.',
    advice: 'Use /readyz in probes, but do not let a supervisor restart the service because of it.',
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
    now: 'Mail that the dead worker had not begun is released to other workers after about 7 seconds.',
    advice: 'No action is needed. Mail that the dead worker had begun still waits for the lease.',
    touches: ({ config }) =>
      config.databaseUrl === null
        ? untouched('All workers are on this machine.')
        : touched('Workers of several machines can share this database.'),
  },
  {
    name: 'import_exit_code',
    since: '0.2.0',
    date: '2026-11-28',
    before: '"mailbox import" exited with 0 if it skipped messages.',
    now: '"mailbox import" counts skipped messages, and exits with 3 if there are any.',
    advice: 'Handle exit code 3 in scripts.',
    touches: () => unknown('This matters to scripts that import mailboxes.'),
  },
  {
    name: 'roles',
    since: '0.2.0',
    date: '2026-11-23',
    before: 'Without POSTHORN_ROLES, an instance had the roles http, smtp and worker.',
    now: 'An instance also has the roles submission, imap and pop3, each with its own ports.',
    advice: 'Open these ports in the firewall, or list the roles in POSTHORN_ROLES.',
    touches: unlessSet('POSTHORN_ROLES', true, ''),
  },
  {
    name: 'listen',
    since: '0.2.0',
    date: '2026-11-22',
    before: 'In development, the ports were open on all addresses.',
    now: 'In development, they are open on this machine only.',
    advice: 'If other machines or containers must reach this one, set POSTHORN_LISTEN=::.',
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
    before: 'The sandbox stored copies of messages without a time limit.',
    now: 'Copies are deleted after 7 days.',
    advice: 'Save the copies that you need with "email raw".',
    touches: ({ config }) =>
      config.provider === 'sandbox'
        ? touched('The provider is sandbox.')
        : untouched('The provider is not sandbox.'),
  },
];
