/** A Dovecot with any number of mailboxes. Each mailbox is created at its first use, and all have the same password. */
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ImapWire } from '../../src/doors/imap/wire.fixture.ts';
import { account, freePort, isRoot, peerFolder, requireProgram, startDaemon } from './peers.ts';

const TLS = fileURLToPath(new URL('../support/tls/', import.meta.url));
const PASSWORD = 'correct-horse-battery';

/** The password of the master user `master`, who may sign in for every user. */
export const MASTER_PASSWORD = 'master-horse-battery';

interface DovecotStage {
  host: string;
  user: string;
  password: string;
  /** The folder with the mail. */
  mailFolder: string;
  deliver(folder: string, message: Buffer, flags?: readonly string[]): Promise<void>;
  expunge(number: number): Promise<void>;
}

export interface Dovecot extends AsyncDisposable {
  readonly imapPort: number;
  readonly pop3Port: number;
  /** Names a new mailbox, which is empty. @param user default: a new name */
  newStage(user?: string): DovecotStage;
}

/** @param format of the mail @throws Error if Dovecot is not installed or does not start, or if this process does not run as root */
export async function startDovecot(format: 'sdbox' | 'maildir' = 'sdbox'): Promise<Dovecot> {
  const dovecot = requireProgram('/usr/sbin/dovecot', 'dovecot-imapd');
  requireProgram('/usr/lib/dovecot/pop3', 'dovecot-pop3d');
  if (!isRoot()) throw new Error('Dovecot runs as root only');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder('dovecot')).path;
  const [imapPort, pop3Port] = [await freePort(), await freePort()];
  const { uid, gid } = account('nobody');
  mkdirSync(join(folder, 'mail'));
  chownSync(join(folder, 'mail'), uid, gid);
  const path = join(folder, 'dovecot.conf');
  writeFileSync(path, settings(folder, format, { imapPort, pop3Port }, { uid, gid }));
  stack.use(
    await startDaemon(dovecot, {
      args: ['-F', '-c', path],
      stopSignal: 'SIGTERM',
      isReady: async () => (await answers(imapPort)) && answers(pop3Port),
    }),
  );
  const running = stack.move();
  let users = 0;
  return {
    imapPort,
    pop3Port,
    newStage(user) {
      users += 1;
      const own = { host: '127.0.0.1', user: user ?? `user${users}@a.example`, password: PASSWORD };
      /** Runs commands in a separate session. */
      const runCommands = async (commands: readonly string[]): Promise<void> => {
        using wire = await ImapWire.connect({ ...own, port: imapPort });
        await wire.signIn(own);
        for (const command of commands) {
          const answer = (await wire.command(command)).at(-1) ?? '';
          if (!/^\S+ OK/.test(answer)) throw new Error(`${command}: ${answer}`);
        }
      };
      return {
        ...own,
        mailFolder: join(folder, 'mail', own.user),
        async deliver(name, message, flags = []) {
          const literal = `{${message.length}+}\r\n${message.toString('latin1')}`;
          await runCommands([`a APPEND "${name}" (${flags.join(' ')}) ${literal}`]);
        },
        expunge: (number) =>
          runCommands(['a SELECT INBOX', `b STORE ${number} +FLAGS (\\Deleted)`, 'c EXPUNGE']),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Settings of Dovecot; all other settings have Debian's defaults. Mailboxes have the same folders as the product's mailboxes. */
function settings(
  folder: string,
  format: 'sdbox' | 'maildir',
  { imapPort, pop3Port }: { imapPort: number; pop3Port: number },
  { uid, gid }: { uid: number; gid: number },
): string {
  const folders = ['Sent', 'Drafts', 'Junk', 'Trash', 'Archive'].map(
    (name) => `  mailbox ${name} {\n    auto = create\n    special_use = \\${name}\n  }\n`,
  );
  return `
protocols = imap pop3
listen = 127.0.0.1
base_dir = ${folder}/run
log_path = ${folder}/log
ssl = yes
ssl_cert = <${join(TLS, 'cert.pem')}
ssl_key = <${join(TLS, 'key.pem')}
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = ${format}:${folder}/mail/%u
mail_max_userip_connections = 50
pop3_lock_session = yes
passdb {
  driver = static
  args = password=${MASTER_PASSWORD}
  master = yes
}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
${folders.join('')}}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = 0
  }
}
service pop3-login {
  inet_listener pop3 {
    port = ${pop3Port}
  }
  inet_listener pop3s {
    port = 0
  }
}
`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false)).setTimeout(1_000, () => socket.destroy());
  });
}
