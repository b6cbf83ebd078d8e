/** Reads dialogues (`dialogues/README.md`) and plays them against any IMAP server. Does not depend on Posthorn. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImapWire } from './wire.fixture.ts';

/** An empty mailbox on a server, in which a dialogue is played. */
export interface Stage {
  host: string;
  port: number;
  user: string;
  password: string;
  deliver(folder: string, message: Buffer, flags: readonly string[]): Promise<void>;
  /** Timeout for each response. */
  patienceMs?: number;
}

export interface Dialogue {
  file: string;
  title: string;
  /** Capabilities that the server must have. */
  needs: string[];
  isSignedOut: boolean;
  /** Servers that respond differently, each with the reason why the RFC allows the difference. */
  differs: string[];
  steps: Step[];
}

type Step =
  | { what: 'deliver'; folder: string; flags: string[]; lines: string[] }
  | { what: 'say' | 'raw' | 'hear' | 'layer'; client: number; text: string };

const KINDS = { C: 'say', R: 'raw', S: 'hear', Z: 'layer' } as const;

export function readDialogues(folder: string): Dialogue[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .flatMap((file) => readFile(file, readFileSync(join(folder, file), 'utf8')));
}

function readFile(file: string, text: string): Dialogue[] {
  const dialogues: Dialogue[] = [];
  for (const line of text.split('\n')) {
    const dialogue = dialogues.at(-1);
    const title = /^## (.+)$/.exec(line)?.[1];
    if (title !== undefined) {
      dialogues.push({ file, title, needs: [], isSignedOut: false, differs: [], steps: [] });
    } else if (dialogue !== undefined) readLine(dialogue, line);
  }
  return dialogues;
}

function readLine(dialogue: Dialogue, line: string): void {
  const { steps } = dialogue;
  const last = steps.at(-1);
  const [, word = '', client = '', rest = ''] =
    /^(needs|differs|signed-out|D|[CRSZ])(\d*):? ?(.*)$/.exec(line) ?? [];
  if (word === 'needs') dialogue.needs.push(...rest.split(' '));
  else if (word === 'differs') dialogue.differs.push(rest);
  else if (word === 'signed-out') dialogue.isSignedOut = true;
  else if (word === 'D') {
    const [, folder = '', flags = ''] = /^(.+?)(?: \(([^)]*)\))?$/.exec(rest) ?? [];
    steps.push({ what: 'deliver', folder, flags: flags.split(' ').filter(Boolean), lines: [] });
  } else if (word === 'C' || word === 'R' || word === 'S' || word === 'Z')
    steps.push({ what: KINDS[word], client: Number(client || '1'), text: rest });
  else if (last?.what === 'deliver' && (line.startsWith('   ') || line === ''))
    last.lines.push(line.slice(3));
  else if (line.trim() !== '' && !line.startsWith('#')) assert.fail(`${dialogue.file}: ${line}`);
}

/** The message that a `D` step without lines delivers. */
const SHORT = ['From: Anna <anna@a.example>', 'Subject: Hello', '', 'Hello', ''];

/** Plays a dialogue. @throws AssertionError if the server responds differently */
export async function playDialogue(dialogue: Dialogue, stage: Stage): Promise<void> {
  const known = new Map([
    ['user', stage.user],
    ['password', stage.password],
  ]);
  const clients = new Map<number, ImapWire>();
  using stack = new DisposableStack();
  for (const [at, step] of dialogue.steps.entries()) {
    if (step.what === 'deliver') {
      const { folder, flags } = step;
      const lines = step.lines.some(Boolean) ? step.lines : SHORT;
      await stage.deliver(folder, Buffer.from(lines.join('\r\n')), flags);
      continue;
    }
    let client = clients.get(step.client);
    if (client === undefined) {
      client = stack.use(await ImapWire.connect(stage));
      clients.set(step.client, client);
      if (!dialogue.isSignedOut) await client.signIn(stage);
    }
    const where = `${dialogue.file}: ${dialogue.title}, step ${at + 1}`;
    if (step.what === 'raw') client.send(JSON.parse(`"${fill(step.text, known)}"`) as string);
    else if (step.what === 'layer') await (step.text === 'tls' ? client.startTls() : client.compress());
    else if (step.what === 'say') client.send(`${fill(step.text, known)}\r\n`);
    else await expectLine(client, step.text, known, where);
  }
  for (const [number, client] of clients) {
    const [unread] = client.unread.filter((line) => !isOptional(line));
    assert.equal(
      unread,
      undefined,
      `${dialogue.file}: ${dialogue.title}: client ${number} received unexpected lines`,
    );
  }
}

/** Waits for a matching line. Untagged lines may arrive in any order. */
async function expectLine(
  client: ImapWire,
  expected: string,
  known: Map<string, string>,
  where: string,
): Promise<void> {
  const pattern = patternOf(expected, known);
  const isUntagged = expected.startsWith('* ');
  for (let at = 0; ; at++) {
    const line = at < client.unread.length ? client.unread[at] : await client.next();
    if (line === null || line === undefined) {
      assert.equal(
        '(closed)',
        expected,
        `${where}: the connection is over; received: ${client.received.join('\n')}`,
      );
      return;
    }
    const found = pattern.exec(line);
    if (found !== null) {
      client.unread.splice(at, 1);
      for (const [name, value] of Object.entries(found.groups ?? {})) known.set(name, value);
      // Every line before a tagged response must have matched an earlier expectation.
      const early = isUntagged ? undefined : client.unread.slice(0, at).find((each) => !isOptional(each));
      assert.equal(early, undefined, `${where}: unexpected line before ${expected}`);
      if (!isUntagged) client.unread.splice(0, at);
      return;
    }
    if (!line.startsWith('* '))
      assert.equal(line, expected, `${where}; received: ${client.received.join('\n')}`);
  }
}

/** Whether a server may send an untagged line that the dialogue does not expect. */
function isOptional(line: string): boolean {
  return /^\* (?:OK \[|OK Still|FLAGS |\d+ RECENT)/.test(line);
}

function fill(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => known.get(name) ?? assert.fail(`\${${name}}`));
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function patternOf(expected: string, known: ReadonlyMap<string, string>): RegExp {
  const seen = new Set<string>();
  const source = expected
    .split(/(\.\.\.|\$\{\w+\})/)
    .map((part) => {
      if (part === '...') return '.*?';
      const name = /^\$\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return escape(part);
      const value = known.get(name);
      if (value !== undefined) return escape(value);
      if (seen.has(name)) return `\\k<${name}>`;
      seen.add(name);
      return `(?<${name}>[^ )\\]]+)`;
    })
    .join('');
  const isLoose = /^(?:\+|\S+ (?:OK|NO|BAD|BYE|PREAUTH))(?: |$)/.test(expected);
  return new RegExp(`^${source}${isLoose ? '' : '$'}`, 's');
}
