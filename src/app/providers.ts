/** Builds the configured provider. No logic. */
import type { MessageFiler } from '../receiving/file/message-filer.ts';
import { InsideMailboxes } from '../receiving/inside/inside-mailboxes.ts';
import { InsideProvider } from '../sending/deliver/inside.ts';
import type { Presence } from '../db/presence.ts';
import type { Provider } from '../sending/deliver/provider.ts';
import { Relay } from '../sending/deliver/relay/relay.ts';
import { createSandbox } from '../sending/deliver/sandbox.ts';
import type { Timings } from '../sending/deliver/smtp/timings.ts';
import { judgeAccountLink } from '../sending/service-mail/account-link-guard.ts';
import type { RoleContext } from './role-context.ts';

/** The parts of a role that a provider needs. */
export interface ProviderContext extends Pick<RoleContext, 'stack' | 'core' | 'config' | 'logger'> {
  /** The other processes with the role `worker`, which share the limits. */
  presence: Pick<Presence, 'shareOf' | 'onChange'>;
  /** Timeouts of SMTP. Default: those of each provider. */
  timings?: Partial<Timings>;
}

/** Mail for mailboxes of this installation is delivered locally, no matter which provider is configured. */
export async function createProvider(context: ProviderContext): Promise<Provider> {
  const { core, config } = context;
  const { hostname } = config;
  const { database } = core;
  const share = () => context.presence.shareOf('worker').count;
  let filer: Promise<MessageFiler> | undefined;
  const mailboxes = new InsideMailboxes({
    database,
    hostname,
    ...core.mailDomains,
    mxWatch: core.mxWatch,
    // Load the filer on first use, because few workers deliver locally, and it has many dependencies.
    filer: () => (filer ??= import('./filer.ts').then(({ createFiler }) => createFiler(core, share))),
  });
  return new InsideProvider(await createOutside(context), mailboxes, hostname, ({ emailId, rcptTo }) =>
    judgeAccountLink(database, emailId, rcptTo),
  );
}

async function createOutside(context: ProviderContext): Promise<Provider> {
  const { provider, ses, smartHost, smartHostConnections, hostname } = context.config;
  const { presence, logger, timings } = context;
  const share = () => presence.shareOf('worker');
  // Load only the configured provider, for a faster start.
  if (provider === 'direct') {
    const { createDirectProvider } = await import('./direct-provider.ts');
    return createDirectProvider(context);
  }
  if (provider === 'ses' && ses !== null) {
    const { Ses } = await import('../sending/deliver/ses/ses.ts');
    const { region, accessKeyId, secretAccessKey, configurationSet, endpoint } = ses;
    return new Ses({ region, accessKeyId, secretAccessKey, configurationSet, endpoint, logger, share });
  }
  if (provider === 'smtp' && smartHost !== null) {
    const relay = new Relay(smartHost, {
      heloName: hostname,
      maxConnections: smartHostConnections,
      share,
      ...(timings !== undefined && { timings }),
    });
    presence.onChange(() => relay.adapt());
    return relay;
  }
  // A worker without a provider takes no lease (`ProviderWatch`), so the worker never uses this sandbox.
  if (provider === 'sandbox' || provider === null) return createSandbox(context.core.database);
  throw new TypeError(`the configuration has no settings for the provider ${provider}`);
}
