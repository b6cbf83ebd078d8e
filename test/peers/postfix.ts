/** A Postfix that accepts mail for a few domains and delivers all of it to one Maildir. */
import { chownSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { account, freePort, isRoot, peerFolder, requireProgram, run, startDaemon } from './peers.ts';

const TLS = fileURLToPath(new URL('../support/tls/', import.meta.url));
const DAEMONS = '/usr/lib/postfix/sbin';

interface DeliveredMessage {
  path: string;
  /** The message with LF line breaks and with the fields that Postfix added. */
  data: Buffer;
}

export interface Postfix extends AsyncDisposable {
  readonly port: number;
  /** The delivered messages: one copy for each recipient, in no particular order. */
  delivered(): DeliveredMessage[];
  /** The file names of the messages in Postfix's queue. */
  queued(): string[];
  log(): string;
}

interface PostfixOptions {
  domains: readonly string[];
  /** The path of the socket of a milter for all mail. The milter may start later. */
  milter?: string;
  /** Next hops for domains that are relayed rather than delivered here, by domain (transport(5)). Example: `smtp:[127.0.0.1]:2525`. */
  transports?: Readonly<Record<string, string>>;
  /** Settings of main.cf (postconf(5)) that override the default settings. */
  settings?: Readonly<Record<string, string>>;
}

/** @throws Error if Postfix is not installed or does not start, or if this process does not run as root */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const postfix = requireProgram('/usr/sbin/postfix', 'postfix');
  const master = requireProgram(join(DAEMONS, 'master'), 'postfix');
  if (!isRoot()) throw new Error('Postfix runs as root only');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder('postfix')).path;
  const port = await freePort();
  configure(folder, port, options);
  await run(postfix, ['-c', join(folder, 'etc'), 'check']);

  stack.use(
    await startDaemon(master, {
      // -s runs Postfix in the foreground, in its own process group, so that SIGTERM ends all its processes.
      args: ['-c', join(folder, 'etc'), '-s'],
      stopSignal: 'SIGTERM',
      isReady: () => answers(port),
    }),
  );
  const maildir = join(folder, 'mail/all/new');
  const running = stack.move();
  return {
    port,
    delivered: () =>
      filesBelow(maildir).map((name) => {
        const path = join(maildir, name);
        return { path, data: readFileSync(path) };
      }),
    queued: () =>
      ['incoming', 'active', 'deferred'].flatMap((queue) => filesBelow(join(folder, 'queue', queue))),
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function configure(
  folder: string,
  port: number,
  { domains, milter, transports, settings: own }: PostfixOptions,
): void {
  for (const name of ['etc', 'queue', 'data', 'mail']) mkdirSync(join(folder, name));
  const [postfix, unprivileged] = [account('postfix'), account('nobody')];
  chownSync(join(folder, 'data'), postfix.uid, postfix.gid);
  chownSync(join(folder, 'mail'), unprivileged.uid, unprivileged.gid);
  const settings = {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    command_directory: '/usr/sbin',
    daemon_directory: DAEMONS,
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    maillog_file: join(folder, 'log'),
    maillog_file_prefixes: folder,
    myhostname: 'mx.dst.test',
    mydestination: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    alias_maps: '',
    alias_database: '',
    disable_dns_lookups: 'yes',
    smtpd_peername_lookup: 'no',
    smtpd_relay_restrictions: 'reject_unauth_destination',
    smtpd_tls_security_level: 'may',
    smtpd_tls_cert_file: join(TLS, 'cert.pem'),
    smtpd_tls_key_file: join(TLS, 'key.pem'),
    smtpd_tls_received_header: 'yes',
    smtputf8_enable: 'yes',
    virtual_mailbox_domains: domains.join(' '),
    virtual_mailbox_base: join(folder, 'mail'),
    virtual_mailbox_maps: 'static:all/',
    virtual_uid_maps: `static:${unprivileged.uid}`,
    virtual_gid_maps: `static:${unprivileged.gid}`,
    ...(transports !== undefined && {
      relay_domains: Object.keys(transports).join(' '),
      transport_maps: `inline:{${Object.entries(transports)
        .map(([domain, way]) => `{${domain} = ${way}}`)
        .join(', ')}}`,
    }),
    ...(milter !== undefined && { smtpd_milters: `unix:${milter}` }),
    ...own,
  };
  const main = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(folder, 'etc/main.cf'), main.join(''));
  writeFileSync(join(folder, 'etc/master.cf'), services(port));
}

/** Debian's services without their chroot, with SMTP on the given port. */
function services(port: number): string {
  return readFileSync('/etc/postfix/master.cf.proto', 'utf8')
    .replace(/^smtp +inet +n/m, `127.0.0.1:${port} inet n`)
    .replace(/^(\S+ +(?:inet|unix) +\S+ +\S+ +)y /gm, '$1n ');
}

function filesBelow(folder: string): string[] {
  // The Maildir does not exist before the first message is delivered.
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false)).setTimeout(1_000, () => socket.destroy());
  });
}
