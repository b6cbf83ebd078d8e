/** Limits, TLS and overload of the IMAP listener. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { eventually } from '../../../test/support/eventually.ts';
import { parseExposition } from '../../../test/support/exposition.ts';
import { createAppPassword } from '../../mailboxes/sign-in/app-passwords.ts';
import { registry } from '../../observe/registry.ts';
import type { Store } from '../../store/store.ts';
import { startTestListener } from './listener.fixture.ts';
import { ImapWire } from './wire.fixture.ts';

const LINE = 33 * 1024;
const MESSAGE = Buffer.from('Subject: one\r\n\r\nHello\r\n');
let listener: Awaited<ReturnType<typeof startTestListener>>;
before(async () => {
  listener = await startTestListener({
    idleMs: 2_000,
    stallMs: 200,
    literalOctets: 200_000,
  });
});
after(() => listener[Symbol.asyncDispose]());

const openSessions = async () => parseExposition(await registry.metrics()).sum('posthorn_imap_sessions', {});
const stranger = () => ImapWire.connect(listener);

async function signedIn() {
  const stage = await listener.stage();
  const client = await ImapWire.connect(listener);
  await client.signIn(stage);
  return { stage, client, [Symbol.dispose]: () => client[Symbol.dispose]() };
}

test('STARTTLS drops plaintext that was sent ahead', async () => {
  const stage = await listener.stage();
  using client = await stranger();
  assert.match((await client.next()) ?? '', /STARTTLS/);
  client.send('a STARTTLS\r\nb LOGIN x y\r\n');
  assert.match((await client.next()) ?? '', /^a OK/);
  await client.startTls();
  const [capabilities = ''] = await client.command('c CAPABILITY');
  assert.match(capabilities, /AUTH=PLAIN/);
  assert.doesNotMatch(capabilities, /STARTTLS|LOGINDISABLED/);
  assert.match((await client.command(`d LOGIN ${stage.user} "${stage.password}"`)).at(-1) ?? '', /^d OK/);
});

test('a port for TLS accepts TLS from the first byte', async () => {
  const { host, securePort: port } = listener;
  using client = await ImapWire.connectSecurely({ host, port });
  const stage = await listener.stage();
  await client.signIn(stage);
  assert.match((await client.command('a NOOP')).at(-1) ?? '', /^a OK/);
});

const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test('sign-in from another machine without TLS is rejected', { skip: outside === undefined }, async () => {
  const { user, password } = await listener.stage();
  using client = await ImapWire.connect({ host: outside ?? '', port: listener.port });
  assert.match((await client.next()) ?? '', /LOGINDISABLED/);
  assert.match((await client.command(`a LOGIN ${user} "${password}"`))[0] ?? '', /^a NO \[PRIVACYREQUIRED\]/);
  assert.match((await client.command('b AUTHENTICATE PLAIN'))[0] ?? '', /^b NO \[PRIVACYREQUIRED\]/);
});

test('a silent client is disconnected before sign-in, but not after sign-in', async () => {
  using owner = await signedIn();
  using client = await stranger();
  assert.match((await client.next()) ?? '', /^\* OK/);
  assert.match((await client.next()) ?? '', /^\* BYE/);
  assert.match((await owner.client.command('a NOOP'))[0] ?? '', /^a OK/);
});

test('a huge compressed line ends the connection before the whole line is decompressed', async () => {
  using owner = await signedIn();
  const { client } = owner;
  assert.match((await client.command('a COMPRESS DEFLATE'))[0] ?? '', /^a OK/);
  client.send(deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 'x')));
  client.decompress();
  assert.match((await client.next()) ?? '', /^\* BYE/);
});

test('20 invalid commands in a row end the connection', async () => {
  using client = await stranger();
  client.send('\r\n'.repeat(30));
  const lines = await client.rest();
  assert.equal(lines.filter((line) => line.startsWith('* BAD')).length, 20);
  assert.match(lines.at(-1) ?? '', /^\* BYE/);
});

for (const [name, sent] of [
  ['too long', 'x'.repeat(LINE + 3)],
  ['ended by a bare LF', 'a NOOP\n'],
  ['too long with its literals', `a LOGIN ${'{0+}\r\nx '.repeat(20_000)}\r\n`],
] as const) {
  test(`a line that is ${name} ends the connection`, async () => {
    using client = await stranger();
    client.send(sent);
    assert.match((await client.rest()).at(-1) ?? '', /^\* BYE (?:The line|A bare)/);
  });
}

test('large literals are rejected before sign-in', async () => {
  using client = await stranger();
  client.send('a LOGIN {40000}\r\n');
  client.send('b LOGIN {40000+}\r\n');
  assert.deepEqual(
    (await client.rest()).map((line) => line.slice(0, 8)),
    ['* OK [CA', 'a NO [TO', '* BYE [T'],
  );
});

test('the longest ID is accepted before sign-in, with quoted strings and with literals', async () => {
  using client = await stranger();
  await client.next();
  const name = (at: number) => String(at).padStart(30, 'n');
  const value = 'v'.repeat(1_024);
  const pairs = Array.from({ length: 30 }, (_, at) => at);
  const quoted = pairs.map((at) => `"${name(at)}" "${value}"`).join(' ');
  assert.match((await client.command(`a ID (${quoted})`)).at(-1) ?? '', /^a OK/);
  const literals = pairs.map((at) => `${name(at)} {1024+}\r\n${value}`).join(' ');
  assert.match((await client.command(`b ID (${literals})`)).at(-1) ?? '', /^b OK/);
});

/** The state of a TCP timer that probes a silent peer, in /proc/net/tcp. */
const KEEP_ALIVE_TIMER = '02';

test('TCP probes clients that are silent', { skip: process.platform !== 'linux' }, async () => {
  const { host, port } = listener;
  const client = connect({ host, port });
  await once(client, 'data');
  const hex = (number = 0) => number.toString(16).toUpperCase().padStart(4, '0');
  const ends = new RegExp(`:${hex(port)} \\w+:${hex(client.localPort)} 01 \\w+:\\w+ (\\w+):`);
  // The timer runs once the client has acknowledged the greeting.
  const isProbed = () => ends.exec(readFileSync('/proc/net/tcp', 'utf8'))?.[1] === KEEP_ALIVE_TIMER;
  assert.ok(await eventually(isProbed, 5_000));
  client.destroy();
});

test('IDLE sends a line at intervals, and ends the connection of a client that is silent for too long', async () => {
  await using impatient = await startTestListener({ stillHereMs: 10, signedInIdleMs: 300 });
  using client = await ImapWire.connect(impatient);
  await client.signIn(await impatient.stage());
  client.send('a IDLE\r\n');
  const lines = await client.rest();
  assert.equal(lines[0], '+ Idling');
  assert.equal(lines[1], '* OK Still here');
  assert.equal(lines.at(-1), '* BYE Disconnected for inactivity');
});

test('a message that exceeds the free memory is rejected before the client sends its octets', async () => {
  using owner = await signedIn();
  using other = await signedIn();
  owner.client.send('a APPEND INBOX {150000}\r\n');
  assert.match((await owner.client.next()) ?? '', /^\+/);
  assert.match((await other.client.command('b APPEND INBOX {150000}'))[0] ?? '', /^b NO \[UNAVAILABLE\]/);
});

test('the server sends a response after a literal if the rest of the command does not follow immediately', async () => {
  using owner = await signedIn();
  const { client } = owner;
  client.send('a APPEND INBOX {3}\r\n');
  assert.match((await client.next()) ?? '', /^\+/);
  client.send('abc');
  assert.equal(await client.next(), '* OK Literal received');
  client.send('\r\n');
  assert.match((await client.next()) ?? '', /^a OK \[APPENDUID/);
  assert.match((await client.command('b APPEND INBOX {3+}\r\nabc'))[0] ?? '', /^b OK \[APPENDUID/);
});

test('if APPEND is rejected, the object that was written for its message is deleted immediately', async () => {
  using owner = await signedIn();
  const { projectId } = owner.stage.mailbox;
  const message = Buffer.alloc(100_000, 'Subject: x\r\n').toString();
  const counts: number[] = [];
  for (const [folder, response] of [
    ['Nowhere', /^a NO \[TRYCREATE\]/],
    ['INBOX', /^a OK/],
  ] as const) {
    const lines = await owner.client.command(`a APPEND ${folder} {${message.length}+}\r\n${message}`);
    assert.match(lines.at(-1) ?? '', response);
    let count = 0;
    for await (const _ of listener.objects.list(projectId)) count++;
    counts.push(count);
  }
  assert.deepEqual(counts, [0, 1]);
});

test('the memory of a client that disconnects in the middle of a message is released', async () => {
  {
    using owner = await signedIn();
    owner.client.send('a APPEND INBOX {150000+}\r\nSubject: one\r\n');
  }
  using other = await signedIn();
  const hasSlot = async () => {
    other.client.send('b APPEND INBOX {150000}\r\n');
    return (await other.client.next())?.startsWith('+') === true;
  };
  assert.ok(await eventually(hasSlot, 10_000));
});

test('many small messages in one command count towards the memory limit like one large message', async () => {
  using owner = await signedIn();
  using other = await signedIn();
  const small = ` {60000+}\r\n${'x'.repeat(60_000)}`;
  owner.client.send(`a APPEND INBOX${small.repeat(3)} {10}\r\n`);
  assert.match((await owner.client.next()) ?? '', /^\+/);
  assert.match((await other.client.command('b APPEND INBOX {150000}'))[0] ?? '', /^b NO \[UNAVAILABLE\]/);
});

test('a command whose updates cannot be sent still returns OK, and the updates are sent later', async () => {
  using owner = await signedIn();
  const { client, stage } = owner;
  const { store } = listener;
  await client.command('a SELECT INBOX');
  await stage.deliver('INBOX', MESSAGE, []);
  for (const [method, command] of [
    ['takeRecent', 'b NOOP'],
    ['changesSince', `c APPEND INBOX {${MESSAGE.length}+}\r\n${MESSAGE}`],
  ] as const) {
    store[method] = async () => {
      delete (store as Partial<Store>)[method];
      throw new Error('the database is away');
    };
    assert.match((await client.command(command)).at(-1) ?? '', /^[bc] OK/);
  }
  assert.ok((await client.command('d SEARCH ALL')).includes('* 2 EXISTS'));
});

test('pipelined APPENDs share commits, are answered in order, and get UIDs in the order of the commands', async () => {
  using owner = await signedIn();
  const { client } = owner;
  await client.command('s SELECT INBOX');
  const { store } = listener;
  const { append } = store;
  const calls: number[] = [];
  store.append = (messages) => {
    calls.push(messages.length);
    return append.call(store, messages);
  };
  const names = Array.from({ length: 30 }, (_, at) => (at === 10 ? 'Nowhere' : 'INBOX'));
  client.send(names.map((name, at) => `a${at} APPEND ${name} {3+}\r\nabc\r\n`).join('') + 'n NOOP\r\n');
  const lines: string[] = [];
  while (lines.at(-1)?.startsWith('n ') !== true) lines.push((await client.next()) ?? 'n over');
  store.append = append;
  let uid = 0;
  const expected = names.map((name, at) =>
    name === 'INBOX' ? `a${at} OK [APPENDUID ${++uid}]` : `a${at} NO [TRYCREATE]`,
  );
  const tagged = lines.filter((line) => line.startsWith('a'));
  assert.deepEqual(
    tagged.map((line) => line.replace(/(APPENDUID) \d+/, '$1').replace(/\].*/, ']')),
    expected,
  );
  assert.equal(
    calls.reduce((sum, count) => sum + count),
    30,
  );
  assert.ok(calls.length < 10, `${calls.length} commits`);
  assert.ok(lines.indexOf('* 29 EXISTS') < lines.findIndex((line) => line.startsWith('n ')));
});

test('a compressed connection reads further APPENDs while a message is stored', async () => {
  using owner = await signedIn();
  const { client } = owner;
  assert.match((await client.command('c COMPRESS DEFLATE')).at(-1) ?? '', /^c OK/);
  client.compress();
  const { store, facts } = listener;
  const [{ append }, { read }] = [store, facts];
  const count = 40;
  const parsed = Promise.withResolvers<void>();
  let calls = 0;
  facts.read = (raw) => {
    calls += 1;
    if (calls === count) parsed.resolve();
    return read.call(facts, raw);
  };
  store.append = async (messages) => {
    await parsed.promise;
    return append.call(store, messages);
  };
  // More octets than are decompressed at a time, and more than one command may use without shared memory.
  const message = 'x'.repeat(2_000);
  client.send(
    Array.from({ length: count }, (_, at) => `a${at} APPEND INBOX {2000+}\r\n${message}\r\n`).join(''),
  );
  for (let at = 0; at < count; at++)
    assert.match((await client.next()) ?? '', new RegExp(`^a${at} OK \\[APPENDUID \\d+ ${at + 1}\\]`));
  [store.append, facts.read] = [append, read];
});

test('pipelined APPENDs get UIDs in the order of the commands, even if the first message takes longest to parse', async () => {
  using owner = await signedIn();
  const { client } = owner;
  const { facts } = listener;
  const { read } = facts;
  const parsed = Promise.withResolvers<void>();
  facts.read = async (raw) => {
    const result = await read.call(facts, raw);
    if (raw.length === 3) parsed.resolve();
    else await parsed.promise;
    return result;
  };
  client.send('a APPEND INBOX {4+}\r\nlong\r\nb APPEND INBOX {3+}\r\nabc\r\n');
  assert.match((await client.next()) ?? '', /^a OK \[APPENDUID \d+ 1\]/);
  assert.match((await client.next()) ?? '', /^b OK \[APPENDUID \d+ 2\]/);
  facts.read = read;
});

test('at shutdown, an APPEND is answered even if the next command has begun', async () => {
  const stopping = await startTestListener();
  const client = await ImapWire.connect(stopping);
  await client.signIn(await stopping.stage());
  const { store } = stopping;
  const { append } = store;
  const [called, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  store.append = async (messages) => {
    called.resolve();
    await stopped.promise;
    return append.call(store, messages);
  };
  client.send('a APPEND INBOX {3+}\r\nabc\r\nb NO');
  await called.promise;
  const closing = stopping[Symbol.asyncDispose]();
  stopped.resolve();
  await closing;
  const responses = await client.rest();
  assert.match(responses[0] ?? '', /^a OK \[APPENDUID/);
  assert.match(responses.at(-1) ?? '', /^\* BYE \[UNAVAILABLE\]/);
});

test('a client that stops reading is disconnected', async () => {
  using owner = await signedIn();
  const { client, stage } = owner;
  await stage.deliver('INBOX', Buffer.alloc(4_000_000, 'Subject: x\r\n'), []);
  await client.command('a SELECT INBOX');
  const before = (await openSessions()) - 1;
  client.pause();
  client.send('b FETCH 1 BODY.PEEK[]\r\n'.repeat(20));
  assert.ok(await eventually(async () => (await openSessions()) === before, 10_000));
});

test('at shutdown, running commands are completed and idle clients get BYE', async () => {
  const stopping = await startTestListener();
  const stage = await stopping.stage();
  const client = await ImapWire.connect(stopping);
  const idling = await ImapWire.connect(stopping);
  await client.signIn(stage);
  await idling.signIn(stage);
  idling.send('a IDLE\r\n');
  assert.match((await idling.next()) ?? '', /^\+/);
  client.send('b SELECT INBOX\r\n');
  await client.next();
  await stopping[Symbol.asyncDispose]();
  assert.match((await idling.rest()).at(-1) ?? '', /^\* BYE \[UNAVAILABLE\]/);
  const responses = await client.rest();
  assert.ok(responses.some((line) => line.startsWith('b OK')));
  assert.match(responses.at(-1) ?? '', /^\* BYE \[UNAVAILABLE\]/);
});

test('a read-only app password cannot change anything', async () => {
  const stage = await listener.stage();
  await stage.deliver('INBOX', Buffer.from('Subject: x\r\n\r\n'), []);
  const app = { name: 'phone', access: 'read' } as const;
  const { password } = await createAppPassword(listener.database, stage.mailbox, app);
  using client = await stranger();
  await client.signIn({ user: stage.user, password });
  assert.match((await client.command('a SELECT INBOX')).at(-1) ?? '', /^a OK \[READ-ONLY\]/);
  for (const command of ['STORE 1 +FLAGS (\\Deleted)', 'COPY 1 Archive', 'MOVE 1 Archive', 'EXPUNGE'])
    assert.match((await client.command(`b ${command}`)).at(-1) ?? '', /^b NO \[NOPERM\]/, command);
  assert.match((await client.command('c CLOSE')).at(-1) ?? '', /^c OK/);
});

test('FLAGS with a new keyword is sent before the first FETCH response with the keyword', async () => {
  using owner = await signedIn();
  await owner.stage.deliver('INBOX', MESSAGE, []);
  await owner.client.command('a SELECT INBOX');
  for (const command of ['b STORE 1 +FLAGS (one)', 'c UID STORE 1 +FLAGS (two three)']) {
    const lines = await owner.client.command(command);
    const [keyword = ''] = /(?<=\()\w+/.exec(command) ?? [];
    const flagsAt = lines.findIndex((line) => line.startsWith('* FLAGS (') && line.includes(keyword));
    const used = lines.findIndex((line) => line.includes(' FETCH (') && line.includes(keyword));
    assert.ok(flagsAt !== -1 && flagsAt < used, lines.join('\n'));
  }
});

test('the new RECENT count is sent after a recent message is expunged', async () => {
  using owner = await signedIn();
  for (let at = 0; at < 2; at++) await owner.stage.deliver('INBOX', MESSAGE, []);
  await owner.client.command('a SELECT INBOX');
  await owner.client.command('b STORE 1 +FLAGS (\\Deleted)');
  const lines = await owner.client.command('c EXPUNGE');
  assert.deepEqual(lines.slice(0, 2), ['* 1 EXPUNGE', '* 1 RECENT']);
});

test('many searches of one project do not block the searches of another project', async () => {
  const [busy, other] = [await signedIn(), await signedIn()];
  using stack = new DisposableStack();
  for (const owner of [busy, other]) {
    stack.use(owner);
    await owner.client.command('a SELECT INBOX');
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const { projectId } = busy.stage.mailbox;
  const waiting = Array.from({ length: 102 }, () =>
    listener.searches.run(projectId, new AbortController().signal, () => promise),
  );
  const answerOf = async (owner: typeof busy) => (await owner.client.command('b SEARCH ALL')).at(-1) ?? '';
  assert.match(await answerOf(other), /^b OK/);
  assert.match(await answerOf(busy), /^b NO \[LIMIT\]/);
  resolve();
  await Promise.all(waiting);
  assert.match(await answerOf(busy), /^b OK/);
});
