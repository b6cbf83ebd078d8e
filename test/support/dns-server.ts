/** A DNS server on the loopback interface, over UDP and TCP, whose one zone is a table that tests change as they go. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

interface DnsEntry {
  A?: readonly string[];
  TXT?: readonly string[];
  /** As in a zone file: `10 mx.example`. */
  MX?: readonly string[];
  /** In place of an answer: the server fails, refuses, or says nothing. */
  fault?: 'servfail' | 'refused' | 'silent';
}

/** Lower-case names without a trailing dot. A name that is not here does not exist. */
export type DnsZone = Record<string, DnsEntry>;

export interface DnsServer extends AsyncDisposable {
  /** `ip:port`, as POSTHORN_DNS takes it. */
  readonly address: string;
  /** Changed in place, or replaced. */
  zone: DnsZone;
  /** `<type> <name>` of every question so far, with `tcp ` in front where it came so. */
  readonly questions: string[];
}

const TYPES = { A: 1, MX: 15, TXT: 16 } as const;
type TypeName = keyof typeof TYPES;
const TYPE_NAMES = new Map<number, TypeName>(
  Object.entries(TYPES).map(([name, code]) => [code, name as TypeName]),
);
const RCODES = { ok: 0, servfail: 2, nxdomain: 3, refused: 5 } as const;
const TTL_SECONDS = 300;
const HEADER_OCTETS = 12;
/** What a UDP answer holds where the client does not say that it takes more. */
const UDP_OCTETS = 512;

export async function startDnsServer(zone: DnsZone = {}): Promise<DnsServer> {
  const questions: string[] = [];
  const udp = createSocket('udp4');
  const tcp = createServer();
  await listenOnOnePort(udp, tcp);
  const server: DnsServer = {
    address: `127.0.0.1:${udp.address().port}`,
    zone,
    questions,
    async [Symbol.asyncDispose]() {
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      await Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    },
  };
  udp.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const reply = answer(query, server, '');
    if (reply === null) return;
    const fits = reply.length <= Math.max(UDP_OCTETS, ednsSize(query));
    udp.send(fits ? reply : truncated(reply), port, address);
  });
  const sockets = new Set<Socket>();
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const reply = answer(received.subarray(2, end), server, 'tcp ');
        received = received.subarray(end);
        if (reply !== null) socket.write(Buffer.concat([uint16(reply.length), reply]));
      }
    });
  });
  return server;
}

/** The two have one number; a free port of the one may be taken of the other. */
async function listenOnOnePort(udp: ReturnType<typeof createSocket>, tcp: Server): Promise<void> {
  for (;;) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const bound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind(port, '127.0.0.1', () => resolve(true));
    });
    if (bound) return;
    tcp.close();
    await once(tcp, 'close');
  }
}

/** Null: say nothing. */
function answer(query: Buffer, { zone, questions }: DnsServer, via: string): Buffer | null {
  const { name, end } = readName(query, HEADER_OCTETS);
  const type = TYPE_NAMES.get(query.readUInt16BE(end));
  questions.push(`${via}${type ?? query.readUInt16BE(end)} ${name}`);
  const entry = zone[name];
  if (entry?.fault === 'silent') return null;
  const question = query.subarray(HEADER_OCTETS, end + 4);
  if (entry === undefined) return message(query, RCODES.nxdomain, question, []);
  if (entry.fault !== undefined) return message(query, RCODES[entry.fault], question, []);
  const values = type === undefined ? [] : (entry[type] ?? []);
  const records = values.map((value) => record(type as TypeName, value));
  return message(query, RCODES.ok, question, records);
}

/** RFC 1035, section 4.1.1: an answer, authoritative, recursion available. */
function message(query: Buffer, rcode: number, question: Buffer, records: readonly Buffer[]): Buffer {
  const recursionDesired = query.readUInt16BE(2) & 0x0100;
  const header = [
    query.readUInt16BE(0),
    0x8400 | recursionDesired | 0x0080 | rcode,
    1,
    records.length,
    0,
    0,
  ].map(uint16);
  return Buffer.concat([...header, question, ...records]);
}

function truncated(reply: Buffer): Buffer {
  const { end } = readName(reply, HEADER_OCTETS);
  const short = Buffer.from(reply.subarray(0, end + 4));
  short.writeUInt16BE(short.readUInt16BE(2) | 0x0200, 2);
  short.writeUInt16BE(0, 6);
  return short;
}

function record(type: TypeName, value: string): Buffer {
  const data = dataOf(type, value);
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(TTL_SECONDS);
  // A pointer to the name in the question.
  return Buffer.concat([
    uint16(0xc000 | HEADER_OCTETS),
    uint16(TYPES[type]),
    uint16(1),
    ttl,
    uint16(data.length),
    data,
  ]);
}

function dataOf(type: TypeName, value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number));
  if (type === 'TXT') {
    const parts = Buffer.from(value)
      .toString('latin1')
      .match(/[^]{1,255}/g) ?? [''];
    return Buffer.concat(
      parts.map((part) => Buffer.from(`${String.fromCharCode(part.length)}${part}`, 'latin1')),
    );
  }
  const [priority = '0', exchange = ''] = value.split(' ');
  return Buffer.concat([uint16(Number(priority)), encodeName(exchange)]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.from(
    labels.map((label) => `${String.fromCharCode(label.length)}${label}`).join('') + '\0',
    'latin1',
  );
}

/** Questions are never compressed. */
function readName(buffer: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = buffer[at] ?? 0; length > 0; length = buffer[at] ?? 0) {
    labels.push(buffer.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** The size that the OPT record of the query names (RFC 6891, section 6.1.2); it is the only record behind the question. */
function ednsSize(query: Buffer): number {
  const { end } = readName(query, HEADER_OCTETS);
  const opt = end + 4;
  return query.length >= opt + 5 && query.readUInt16BE(opt + 1) === 41 ? query.readUInt16BE(opt + 3) : 0;
}

function uint16(number: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(number);
  return buffer;
}

interface PublishedRecord {
  type: 'TXT' | 'MX';
  name: string;
  value: string;
  priority: number | null;
}

/** Publishes records as the API shows them, beside what is there. */
export function publish(zone: DnsZone, records: readonly PublishedRecord[]): void {
  for (const { type, name, value, priority } of records) {
    const text = priority === null ? value : `${priority} ${value}`;
    zone[name] = { ...zone[name], [type]: [...(zone[name]?.[type] ?? []), text] };
  }
}
