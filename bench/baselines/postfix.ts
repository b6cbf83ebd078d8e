/**
 * Baseline: a second Postfix instance with the stock configuration. smtp-source sends mail to the instance, which delivers to smtp-sink.
 * The queue is in the benchmark's folder, and Postfix syncs it as usual. Postfix listens on, and connects to, 127.0.0.1 only.
 */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, waitForPort } from '../support/ports.ts';
import { type ProcessInfo, processTree } from '../support/process-tree.ts';
import { runProcess, startProcess } from '../support/processes.ts';
import { startSink } from '../support/sink.ts';

const MASTER_TEMPLATE = '/etc/postfix/master.cf.proto';
const NEEDED = ['/usr/sbin/postfix', '/usr/sbin/smtp-source', '/usr/sbin/smtp-sink', MASTER_TEMPLATE];
const SESSIONS = 20;
const START_TIMEOUT_MS = 20_000;
const TIMEOUT_MS = 120_000;

export interface Postfix {
  /** Fills the queue while delivery is off, then delivers it to the sink. Both rates are in messages per second. */
  acceptThenDrain(
    messageBytes: number,
    count: number,
  ): Promise<{ acceptPerSecond: number; drainPerSecond: number }>;
  /** The rate in messages per second, from the first connection until the sink has received all messages. */
  endToEnd(messageBytes: number, count: number): Promise<number>;
}

/** @returns the reason why Postfix cannot run on this machine; null if it can */
export function postfixMissing(): string | null {
  const absent = NEEDED.find((path) => !existsSync(path));
  if (absent !== undefined) return `${absent} is missing (Debian: apt-get install postfix)`;
  return process.getuid?.() === 0 ? null : 'Postfix only starts as root';
}

/** @param folder the folder for the queue, accessible to every user */
export async function startPostfix(folder: string): Promise<Postfix> {
  const port = await freePort();
  const sinkPort = await freePort();
  const config = join(folder, 'postfix');
  const queue = join(folder, 'postfix-queue');
  await writeConfig({ config, queue, folder, port, sinkPort });

  const child = startProcess('/usr/sbin/postfix', ['-c', config, 'start-fg'], {}, isMaster);
  await waitForPort(port, START_TIMEOUT_MS);
  const queueManagerPid = await findQueueManager(child.pid ?? 0);

  const inject = (messageBytes: number, count: number): Promise<string> =>
    runProcess(
      '/usr/sbin/smtp-source',
      // biome-ignore format: a flag and its value belong together
      ['-4', '-s', String(Math.min(SESSIONS, count)), '-m', String(count), '-l', String(messageBytes),
        '-f', 'a@src.test', '-t', 'b@dst.test', `127.0.0.1:${port}`],
      { timeoutMs: TIMEOUT_MS },
    );

  return {
    acceptThenDrain: async (messageBytes, count) => {
      process.kill(queueManagerPid, 'SIGSTOP');
      const sink = await startSink(sinkPort, folder);
      const acceptFrom = performance.now();
      await inject(messageBytes, count);
      const acceptMs = performance.now() - acceptFrom;
      const drainFrom = Date.now();
      process.kill(queueManagerPid, 'SIGCONT');
      const drainMs = (await sink.waitFor(count, TIMEOUT_MS)) - drainFrom;
      await waitUntilEmpty(queue);
      await sink.stop();
      return { acceptPerSecond: (count * 1000) / acceptMs, drainPerSecond: (count * 1000) / drainMs };
    },
    endToEnd: async (messageBytes, count) => {
      const sink = await startSink(sinkPort, folder);
      const from = Date.now();
      await inject(messageBytes, count);
      const totalMs = (await sink.waitFor(count, TIMEOUT_MS)) - from;
      await waitUntilEmpty(queue);
      await sink.stop();
      return (count * 1000) / totalMs;
    },
  };
}

/** Whether the process is Postfix's master. The started process, `postfix start-fg`, is only a shell that waits for the master. */
function isMaster({ executable }: ProcessInfo): boolean {
  return executable === 'master';
}

async function findQueueManager(rootPid: number): Promise<number> {
  for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await sleep(50)) {
    const found = processTree(rootPid).find((info) => info.command.startsWith('qmgr'));
    if (found !== undefined) return found.pid;
  }
  throw new Error('Postfix runs without its queue manager');
}

/** Waits until the queue is empty. A message stays in the queue for a moment after it has been delivered. */
async function waitUntilEmpty(queue: string): Promise<void> {
  const until = Date.now() + TIMEOUT_MS;
  while (['incoming', 'active', 'deferred'].some((name) => hasFiles(join(queue, name)))) {
    if (Date.now() > until) throw new Error("Postfix's queue does not become empty");
    await sleep(50);
  }
}

function hasFiles(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).some((entry) => entry.isFile());
}

interface Locations {
  config: string;
  queue: string;
  folder: string;
  port: number;
  sinkPort: number;
}

async function writeConfig({ config, queue, folder, port, sinkPort }: Locations): Promise<void> {
  const data = join(folder, 'postfix-data');
  for (const path of [config, queue, data]) mkdirSync(path);
  const [uid, gid] = ['-u', '-g'].map((flag) => runProcess('id', [flag, 'postfix'], { timeoutMs: 5_000 }));
  chownSync(data, Number(await uid), Number(await gid));
  const services = readFileSync(MASTER_TEMPLATE, 'utf8')
    .replace(/^smtp +inet +n +- +y/m, `127.0.0.1:${port} inet n - n`)
    // Run without chroot, which would need copies of system files in the queue folder.
    .replace(/^([a-z]+ +(?:unix|fifo|inet|unix-dgram) +[-ny] +[-ny] +[-ny] +)y /gm, '$1n ');
  writeFileSync(join(config, 'master.cf'), services);
  const settings = [
    'compatibility_level = 3.6',
    `queue_directory = ${queue}`,
    `data_directory = ${data}`,
    'command_directory = /usr/sbin',
    'daemon_directory = /usr/lib/postfix/sbin',
    'mail_owner = postfix',
    'setgid_group = postdrop',
    'myhostname = mx.bench.test',
    'mydestination =',
    'inet_interfaces = 127.0.0.1',
    'inet_protocols = ipv4',
    'mynetworks = 127.0.0.0/8',
    'smtpd_relay_restrictions = permit_mynetworks, reject',
    'smtpd_peername_lookup = no',
    'smtp_host_lookup = native',
    `relayhost = [127.0.0.1]:${sinkPort}`,
    'smtp_tls_security_level = none',
    'smtpd_tls_security_level = none',
    'disable_dns_lookups = yes',
    `maillog_file = ${join(folder, 'postfix.log')}`,
    `maillog_file_prefixes = ${folder}`,
    'alias_maps =',
    'alias_database =',
    'local_recipient_maps =',
    'smtputf8_enable = no',
    // By default Postfix slows down the sender while the queue fills.
    'in_flow_delay = 0',
  ];
  writeFileSync(join(config, 'main.cf'), `${settings.join('\n')}\n`);
}
