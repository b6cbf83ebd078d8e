import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { account, freePort, peerFolder, requireProgram, startDaemon } from './peers.ts';

/** The timeout of the start, because rspamd first compiles its rules, which takes ten seconds of processor time. */
const READY_MS = 100_000;

export interface RspamdServer extends AsyncDisposable {
  /** The value for POSTHORN_RSPAMD_URL. */
  readonly url: string;
}

/**
 * Starts rspamd with Debian's rules, except the rules that query servers on the internet.
 * @param dns the `ip:port` of a DNS server; without DNS, rspamd rates all mail as spam
 * @throws Error if rspamd is not installed or does not start, or if this process does not run as root
 */
export async function startRspamd(dns: string): Promise<RspamdServer> {
  const rspamd = requireProgram('/usr/bin/rspamd', 'rspamd');
  const folder = peerFolder('rspamd');
  const port = await freePort();
  const unprivileged = account('nobody');
  const local = `${folder.path}/local`;
  const files: Readonly<Record<string, string>> = {
    'options.inc': `dns { nameserver = ["${dns}"]; } disable_hyperscan = true; filters = "chartable,dkim,regexp"; control_socket = "${folder.path}/control.sock mode=0600";`,
    'logging.inc': 'type = "console"; level = "warning";',
    'worker-normal.inc': `bind_socket = "127.0.0.1:${port}"; count = 1;`,
    'worker-controller.inc': 'enabled = false;',
    'worker-proxy.inc': 'enabled = false;',
    'worker-fuzzy.inc': 'enabled = false;',
  };
  mkdirSync(`${local}/override.d`, { recursive: true });
  mkdirSync(`${folder.path}/db`);
  for (const [name, text] of Object.entries(files)) writeFileSync(`${local}/override.d/${name}`, text);
  for (const path of [folder.path, `${folder.path}/db`]) chownSync(path, unprivileged.uid, unprivileged.gid);
  const variables = {
    LOCAL_CONFDIR: local,
    DBDIR: `${folder.path}/db`,
    RUNDIR: folder.path,
    LOGDIR: folder.path,
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    const daemon = await startDaemon(rspamd, {
      args: [
        '-f',
        '-c',
        '/etc/rspamd/rspamd.conf',
        ...Object.entries(variables).map(([name, value]) => `--var=${name}=${value}`),
      ],
      runAs: unprivileged,
      stopSignal: 'SIGTERM',
      readyMs: READY_MS,
      isReady: () =>
        fetch(`${url}/ping`).then(
          ({ ok }) => ok,
          () => false,
        ),
    });
    return {
      url,
      async [Symbol.asyncDispose]() {
        await daemon[Symbol.asyncDispose]();
        folder[Symbol.dispose]();
      },
    };
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}
