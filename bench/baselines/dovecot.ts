/** Baseline: a separate Dovecot from Debian's packages, which stores its mail in the benchmark's folder and listens on 127.0.0.1 only. */
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImapEndpoint } from '../support/imap.ts';
import { freePort, waitForPort } from '../support/ports.ts';
import { runProcess, startProcess } from '../support/processes.ts';

const PROGRAM = '/usr/sbin/dovecot';
const START_TIMEOUT_MS = 20_000;
const PASSWORD = 'benchbench';
/** The account that owns the mail, which can be any account except root. */
const OWNER = 'mail';

/** @returns the reason why Dovecot cannot run on this machine; null if it can */
export function dovecotMissing(): string | null {
  if (!existsSync('/usr/lib/dovecot/imap'))
    return `Dovecot is not installed (Debian: apt-get install dovecot-imapd)`;
  return process.getuid?.() === 0 ? null : 'Dovecot only starts as root';
}

/** @param folder the folder for the mail, accessible to every user */
export async function startDovecot(folder: string): Promise<ImapEndpoint & { mailFolder: string }> {
  const port = await freePort();
  const [state, mail] = [join(folder, 'dovecot'), join(folder, 'dovecot-mail')];
  for (const path of [state, mail]) mkdirSync(path);
  const idOf = async (flag: string) => Number(await runProcess('id', [flag, OWNER], { timeoutMs: 5_000 }));
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  chownSync(mail, uid, gid);
  const config = join(folder, 'dovecot.conf');
  writeFileSync(
    config,
    `base_dir = ${state}
state_dir = ${state}
log_path = ${join(state, 'log')}
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${mail}/%u
mail_fsync = optimized
first_valid_uid = 1
mail_max_userip_connections = 100
service imap-login {
  inet_listener imap {
    port = ${port}
  }
}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${mail}/%u
}
`,
  );
  startProcess(PROGRAM, ['-F', '-c', config]);
  await waitForPort(port, START_TIMEOUT_MS);
  return { port, user: 'bench', password: PASSWORD, mailFolder: mail };
}

/**
 * Fills the inbox of a user, which must exist, by writing the files of its maildir, because appending 100,000 messages takes minutes.
 * Dovecot notices the files at the next SELECT.
 */
export function fillMaildir(
  mailFolder: string,
  user: string,
  count: number,
  messageAt: (at: number) => Buffer,
): void {
  const current = join(mailFolder, user, 'cur');
  for (let at = 0; at < count; at++)
    writeFileSync(join(current, `1700000000.M${at}P1.bench:2,`), messageAt(at));
}
