/** Debian's Thunderbird without a display, operated through Marionette (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.ts';
import type { Mailbox } from './app-mailboxes.ts';
import { peerFolder, requireProgram, startDaemon } from './peers.ts';

const PATIENCE_MS = 15_000;
const NAME_FOLDER = `Services.io.getProtocolHandler('resource').QueryInterface(Ci.nsIResProtocolHandler)
  .setSubstitution('posthorn', Services.io.newURI(arguments[0]))`;
const ACT = `const { actions } = ChromeUtils.importESModule('resource://posthorn/thunderbird-actions.mjs');
  return actions[arguments[0]](...arguments[1]);`;

export type Thunderbird = Awaited<ReturnType<typeof startThunderbird>>;

/**
 * Starts Thunderbird with a new profile, whose only account is the mailbox.
 * @param showsAll whether Thunderbird shows all folders; by default it shows subscribed folders
 */
export async function startThunderbird({ host, imapPort, user, password }: Mailbox, showsAll = false) {
  const program = requireProgram('/usr/lib/thunderbird/thunderbird', 'thunderbird');
  const profile = peerFolder('thunderbird');
  const preferences = {
    'marionette.port': 0,
    'mail.accountmanager.accounts': 'account1',
    'mail.accountmanager.defaultaccount': 'account1',
    'mail.account.account1.identities': 'id1',
    'mail.account.account1.server': 'server1',
    'mail.identity.id1.useremail': user,
    'mail.server.server1.type': 'imap',
    'mail.server.server1.hostname': host,
    'mail.server.server1.port': imapPort,
    'mail.server.server1.userName': user,
    'mail.server.server1.name': user,
    // STARTTLS, and a normal password.
    'mail.server.server1.socketType': 2,
    'mail.server.server1.authMethod': 3,
    // Downloads in the background would take connections from the folder that is open, which then reports no new messages.
    'mail.server.server1.autosync_offline_stores': false,
    'mail.server.server1.offline_download': false,
    'mail.server.server1.using_subscription': !showsAll,
  };
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile.path, 'user.js'), lines.join(''));
  const log = join(profile.path, 'log.moz_log');
  const portFile = join(profile.path, 'MarionetteActivePort');
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(profile);
  const options = [
    '--headless',
    '--no-remote',
    '--profile',
    profile.path,
    '--marionette',
    '--remote-allow-system-access',
  ];
  cleanup.use(
    await startDaemon('/usr/bin/env', {
      args: [`HOME=${profile.path}`, 'MOZ_LOG=sync,IMAP:4', `MOZ_LOG_FILE=${log}`, program, ...options],
      stopSignal: 'SIGTERM',
      isReady: () => existsSync(portFile),
      readyMs: 30_000,
    }),
  );
  const marionette = cleanup.use(await Marionette.connect(Number(readFileSync(portFile, 'utf8'))));
  await marionette.command('WebDriver:NewSession', { acceptInsecureCerts: true });
  await marionette.command('Marionette:SetContext', { value: 'chrome' });
  const execute = async <T>(script: string, args: unknown[]) =>
    (await marionette.command<{ value: T }>('WebDriver:ExecuteScript', { script, args })).value;
  await execute(NAME_FOLDER, [new URL('.', import.meta.url).href]);
  /** Runs one of the actions of `thunderbird-actions.mjs`. */
  const act = <T>(name: string, ...args: unknown[]) => execute<T>(ACT, [name, args]);
  await act('storePassword', host, user, password);
  const owned = cleanup.move();
  return {
    act,
    /** Waits until an action has this result. */
    async until(expected: unknown, name: string, ...args: unknown[]): Promise<void> {
      let result: unknown;
      const isEqual = async () => isDeepStrictEqual((result = await act(name, ...args)), expected);
      if (!(await eventually(isEqual, PATIENCE_MS))) assert.deepEqual(result, expected, name);
    },
    /** Waits for a message that Thunderbird shows to the user, and closes it. @returns its text */
    async alert(): Promise<string> {
      let text = '';
      const hasAlert = async () => {
        text =
          (await marionette.command<{ value: string }>('WebDriver:GetAlertText', {}).catch(() => null))
            ?.value ?? '';
        return text !== '';
      };
      assert.ok(await eventually(hasAlert, PATIENCE_MS), 'No message is shown');
      await marionette.command('WebDriver:AcceptAlert', {});
      return text;
    },
    /** Waits until Thunderbird has done everything on the connection that has opened a folder, and waits for changes. */
    async untilIdle(folder: string): Promise<void> {
      const isIdle = () => {
        const sent = [...readFileSync(log, 'utf8').matchAll(/:S-(.+?):SendData: (?:\d+ )?(.*)$/gm)];
        return sent.findLast(([, name]) => name === folder)?.[2]?.trim() === 'IDLE';
      };
      assert.ok(await eventually(isIdle, PATIENCE_MS), `Thunderbird does not wait for changes of ${folder}`);
    },
    /** The IMAP commands that Thunderbird has sent so far, without their tags. */
    commands(): string[] {
      return [...readFileSync(log, 'utf8').matchAll(/:SendData: \d+ (.*)$/gm)].map(([, command = '']) =>
        command.trim(),
      );
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Messages are JSON after their length: `[0, id, command, parameters]` and `[1, id, error, result]`. */
class Marionette implements Disposable {
  readonly #socket: Socket;
  readonly #messages: AsyncGenerator<unknown, void>;
  #id = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#messages = messagesOf(socket);
  }

  static async connect(port: number): Promise<Marionette> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const marionette = new Marionette(socket);
    await marionette.#messages.next();
    return marionette;
  }

  async command<T>(name: string, parameters: Record<string, unknown>): Promise<T> {
    this.#id += 1;
    const message = JSON.stringify([0, this.#id, name, parameters]);
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    const { value } = await this.#messages.next();
    const [, id, error, result] = (value ?? assert.fail('Thunderbird ended')) as [
      1,
      number,
      { message: string } | null,
      T,
    ];
    assert.equal(id, this.#id);
    if (error !== null) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return result;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

async function* messagesOf(socket: Socket): AsyncGenerator<unknown, void> {
  let input = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    input = Buffer.concat([input, chunk]);
    for (;;) {
      const colon = input.indexOf(':');
      const end = colon + 1 + Number(input.toString('latin1', 0, colon));
      if (colon === -1 || input.length < end) break;
      yield JSON.parse(input.toString('utf8', colon + 1, end));
      input = input.subarray(end);
    }
  }
}
