/** An IMAP server in memory that can send anything, for faults that no real server shows on request. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface ScriptedMessage {
  uid: number;
  raw: string;
  flags?: string;
  /** What RFC822.SIZE says. Default: the size of `raw`. */
  size?: number;
  /** In seconds. */
  received?: number;
  /** Whether FETCH omits the message. */
  isBroken?: boolean;
  /** Items of FETCH that fail. */
  refuses?: RegExp;
}

export interface ScriptedFolder {
  uidValidity: number;
  uidNext: number;
  /** Whether only STATUS tells `uidNext`. */
  hidesUidNext?: boolean;
  messages: ScriptedMessage[];
}

/** Handles a command instead of the server. @returns false if the server should handle it */
type Intercept = (command: string, socket: Socket, tag: string) => boolean;

/** Starts a server on loopback that accepts every sign-in, by default with LOGIN. */
export async function startScriptedSource() {
  const folders = new Map<string, ScriptedFolder>();
  /** `identity`: parameters of ID. `namespaces`: the response to NAMESPACE. Null: the server has no such command. */
  const script: {
    intercept: Intercept | null;
    identity: string | null;
    namespaces: string | null;
    /** The greeting, without `* `. */
    greeting: string;
    /** More capabilities, each after a space. */
    capabilities: string;
  } = { intercept: null, identity: null, namespaces: null, greeting: 'OK ready', capabilities: '' };
  /** What the client has sent to sign in, decoded from Base64. */
  const signIns: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let selected: ScriptedFolder | undefined;
    let text = '';
    const respond = (tag: string, command: string) => {
      socket.cork();
      let status = 'OK';
      const say = (line: string) => socket.write(`${line}\r\n`);
      const [, verb = '', rest = ''] = /^(UID \w+|\w+) ?(.*)$/i.exec(command) ?? [];
      switch (verb.toUpperCase()) {
        case 'CAPABILITY':
          say(
            `* CAPABILITY IMAP4rev1${script.capabilities}${script.identity === null ? '' : ' ID'}${script.namespaces === null ? '' : ' NAMESPACE'}`,
          );
          break;
        case 'ID':
          say(`* ID (${script.identity})`);
          break;
        case 'NAMESPACE':
          say(`* NAMESPACE ${script.namespaces}`);
          break;
        case 'LIST':
        case 'LSUB':
          if (rest === '"" ""') say('* LIST (\\Noselect) "/" ""');
          else for (const name of folders.keys()) say(`* ${verb} () "/" "${name}"`);
          break;
        case 'EXAMINE':
          selected = folders.get(rest.replaceAll('"', ''));
          say(`* ${selected?.messages.length} EXISTS`);
          say(`* OK [UIDVALIDITY ${selected?.uidValidity}] valid`);
          if (selected?.hidesUidNext !== true) say(`* OK [UIDNEXT ${selected?.uidNext}] next`);
          break;
        case 'STATUS':
          say(`* ${command.replace(/\(.*/, `(UIDNEXT ${selected?.uidNext})`)}`);
          break;
        case 'UID SEARCH':
          say(['* SEARCH', ...(selected?.messages ?? []).map(({ uid }) => uid)].join(' '));
          break;
        case 'UID FETCH':
          for (const message of (selected?.messages ?? []).filter(({ uid }) => isIn(uid, rest))) {
            status = message.refuses?.test(rest) === true ? 'NO' : status;
            if (status === 'OK' && message.isBroken !== true)
              say(`* ${fetched(message, rest.includes('BODY.PEEK[]'))}`);
          }
          break;
        case 'LOGOUT':
          say('* BYE');
          break;
        case 'AUTHENTICATE':
          status = 'NO';
          break;
        case 'LOGIN':
          signIns.push(command);
          break;
        default:
      }
      say(`${tag} ${status} done`);
      socket.uncork();
    };
    /** The tag of AUTHENTICATE, until the client has sent its response. */
    let authenticating: string | null = null;
    socket.write(`* ${script.greeting}\r\n`);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
        text = text.slice(end + 2);
        if (authenticating !== null) {
          signIns.push(Buffer.from(line, 'base64').toString());
          socket.write(`${authenticating} OK signed in\r\n`);
          authenticating = null;
        } else if (
          command.startsWith('AUTHENTICATE') &&
          script.capabilities.includes(`AUTH=${command.slice(13)}`)
        ) {
          authenticating = tag;
          socket.write('+ \r\n');
        } else if (script.intercept?.(command, socket, tag) !== true) respond(tag, command);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    user: 'anna',
    password: 'secret',
    folders,
    script,
    signIns,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function isIn(uid: number, arguments_: string): boolean {
  return (arguments_.split(' ')[0] ?? '').split(',').some((range) => {
    const [first, last = first] = range.split(':').map(Number);
    return first !== undefined && last !== undefined && uid >= first && uid <= last;
  });
}

function fetched(message: ScriptedMessage, withBody: boolean): string {
  const { uid, raw, flags = '', size = Buffer.byteLength(raw), received = 1_400_000_000 } = message;
  if (withBody) return `1 FETCH (UID ${uid} BODY[] {${Buffer.byteLength(raw)}}\r\n${raw})`;
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) (\S+)/.exec(new Date(received * 1_000).toUTCString()) ?? [];
  const date = `${day}-${month}-${year} ${time} +0000`;
  return `1 FETCH (UID ${uid} FLAGS (${flags}) INTERNALDATE "${date}" RFC822.SIZE ${size})`;
}
