/** A DNS server on loopback, over UDP and TCP. The server has one zone, a table that tests may change at any time. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

interface DnsEntry {
  A?: readonly string[];
  /** IPv6 addresses, in any notation. */
  AAAA?: readonly string[];
  /** An alias. The server follows aliases within the zone and stops in a loop of aliases. In names, `\\.` is a dot within a label. */
  CNAME?: readonly [string];
  NS?: readonly string[];
  PTR?: readonly string[];
  /** Makes the name the apex of a zone. The value is the primary name server. */
  SOA?: readonly [string];
  TXT?: readonly string[];
  /** Records as in a zone file: `10 mx.example`. */
  MX?: readonly string[];
  /** `0 1 993 mx.example`. */
  SRV?: readonly string[];
  /** A fault instead of the answer. `truncated` sets the TC bit over UDP and sends no answer over TCP. */
  fault?: 'servfail' | 'refused' | 'silent' | 'truncated';
  /** Octets that are sent after the id of the query, instead of an answer. */
  octets?: Uint8Array;
  /** Whether the answer is truncated over UDP and complete over TCP. */
  overTcp?: boolean;
  /** The delay before the answer. */
  delayMs?: number;
}

/**
 * Entries by name, in lower case and without a trailing dot. A name exists if it has an entry, if a name below it has an entry, or if a
 * wildcard entry `*.` covers it (RFC 4592).
 */
export type DnsZone = Record<string, DnsEntry>;

export interface DnsServer extends AsyncDisposable {
  /** `ip:port`, for POSTHORN_DNS. */
  readonly address: string;
  /** The entries of the server. Tests may change or replace this object. */
  zone: DnsZone;
  /** `<type> <name>` of every query so far, with the prefix `tcp ` for queries over TCP. */
  readonly questions: string[];
}

const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33 } as const;
type TypeName = keyof typeof TYPES;
const TYPE_NAMES = new Map<number, TypeName>(
  Object.entries(TYPES).map(([name, code]) => [code, name as TypeName]),
);
const RCODES = { ok: 0, servfail: 2, nxdomain: 3, refused: 5 } as const;
const TTL_SECONDS = 300;
const HEADER_OCTETS = 12;
/** The maximum size of a UDP answer to a client without EDNS. */
const UDP_OCTETS = 512;

/** @param at the address and port, needed for several servers at different addresses. Port 0 picks a free port */
export async function startDnsServer(
  zone: DnsZone = {},
  at: { host: string; port: number } = { host: '127.0.0.1', port: 0 },
): Promise<DnsServer> {
  const questions: string[] = [];
  const udp = createSocket('udp4');
  const tcp = createServer();
  await listenOnOnePort(udp, tcp, at);
  const server: DnsServer = {
    address: `${at.host}:${udp.address().port}`,
    zone,
    questions,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      await Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    },
  };
  udp.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, entry } = ask(query, server, '');
    const isLong = entry?.overTcp === true || entry?.fault === 'truncated';
    const reply = answer(query, name, isLong ? {} : entry, server.zone);
    if (reply === null) return;
    const fits = !isLong && reply.length <= Math.max(UDP_OCTETS, ednsSize(query));
    later(entry?.delayMs, () => udp.send(fits ? reply : truncated(reply), port, address));
  });
  const timers = new Set<NodeJS.Timeout>();
  function later(delayMs: number | undefined, act: () => void): void {
    if (delayMs === undefined) act();
    else timers.add(setTimeout(act, delayMs));
  }
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
        const query = received.subarray(2, end);
        received = received.subarray(end);
        const { name, entry } = ask(query, server, 'tcp ');
        const reply = entry?.fault === 'truncated' ? null : answer(query, name, entry, server.zone);
        if (reply === null) continue;
        later(entry?.delayMs, () => socket.write(Buffer.concat([uint16(reply.length), reply])));
      }
    });
  });
  return server;
}

/** Binds UDP and TCP to one port number. Retries, because a number that is free for one protocol may be in use for the other. */
async function listenOnOnePort(
  udp: ReturnType<typeof createSocket>,
  tcp: Server,
  at: { host: string; port: number },
): Promise<void> {
  for (;;) {
    tcp.listen(at.port, at.host);
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const bound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false));
      udp.bind(port, at.host, () => resolve(true));
    });
    if (bound) return;
    tcp.close();
    await once(tcp, 'close');
    if (at.port !== 0) throw new Error(`Port ${at.port} is in use at ${at.host}`);
  }
}

function ask(query: Buffer, { zone, questions }: DnsServer, via: string) {
  const { name, end } = readName(query, HEADER_OCTETS);
  const code = query.readUInt16BE(end);
  questions.push(`${via}${TYPE_NAMES.get(code) ?? code} ${name}`);
  return { name, entry: entryOf(name, zone) };
}

/** @returns null if the server sends no answer */
function answer(query: Buffer, name: string, entry: DnsEntry | undefined, zone: DnsZone): Buffer | null {
  if (entry?.fault === 'silent') return null;
  if (entry?.octets !== undefined) return Buffer.concat([query.subarray(0, 2), entry.octets]);
  const { end } = readName(query, HEADER_OCTETS);
  const question = query.subarray(HEADER_OCTETS, end + 4);
  if (entry?.fault === 'servfail' || entry?.fault === 'refused') {
    return message(query, RCODES[entry.fault], question, []);
  }
  const type = TYPE_NAMES.get(query.readUInt16BE(end));
  const records: Buffer[] = [];
  const seen = new Set<string>();
  let owner = name;
  for (let alias = entryOf(owner, zone)?.CNAME?.[0]; alias !== undefined && type !== 'CNAME'; ) {
    if (seen.has(owner)) break;
    seen.add(owner);
    records.push(record(owner, 'CNAME', alias));
    owner = alias.toLowerCase();
    alias = entryOf(owner, zone)?.CNAME?.[0];
  }
  const values = type === undefined ? [] : (entryOf(owner, zone)?.[type] ?? []);
  records.push(...values.map((value) => record(owner, type as TypeName, value)));
  // The server does not know whether the target of an alias exists if the target is outside the zone.
  const exists = entry !== undefined || isThere(owner, zone);
  return message(query, exists ? RCODES.ok : RCODES.nxdomain, question, records);
}

function entryOf(name: string, zone: DnsZone): DnsEntry | undefined {
  if (isThere(name, zone)) return zone[name];
  // A wildcard belongs to the closest existing ancestor.
  let above = name;
  while (above.includes('.') && !isThere(above, zone)) above = above.slice(above.indexOf('.') + 1);
  return zone[`*.${above}`];
}

/** Whether a name exists. A name without records exists if there are names below it (RFC 8020). */
function isThere(name: string, zone: DnsZone): boolean {
  return Object.keys(zone).some((known) => known === name || known.endsWith(`.${name}`));
}

/** An authoritative response from a server with recursion (RFC 1035, section 4.1.1). */
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

function record(owner: string, type: TypeName, value: string): Buffer {
  const data = dataOf(type, value);
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(TTL_SECONDS);
  return Buffer.concat([encodeName(owner), uint16(TYPES[type]), uint16(1), ttl, uint16(data.length), data]);
}

function dataOf(type: TypeName, value: string): Buffer {
  switch (type) {
    case 'A':
      return Buffer.from(value.split('.').map(Number));
    case 'AAAA':
      return Buffer.from(ipaddr.IPv6.parse(value).toByteArray());
    case 'TXT':
      return Buffer.concat(stringsOf(value).map((part) => Buffer.from([part.length, ...part])));
    case 'MX': {
      const [priority = '0', exchange = ''] = value.split(' ');
      return Buffer.concat([uint16(Number(priority)), encodeName(exchange)]);
    }
    case 'SRV': {
      const [target = '', ...numbers] = value.split(' ').reverse();
      return Buffer.concat([
        ...numbers.reverse().map((number) => uint16(Number(number))),
        encodeName(target),
      ]);
    }
    case 'SOA':
      return Buffer.concat([encodeName(value), encodeName('hostmaster'), Buffer.alloc(20)]);
    case 'NS':
    case 'PTR':
    case 'CNAME':
      return encodeName(value);
  }
}

/** The strings of a TXT record: at least one, each of at most 255 octets (RFC 1035, section 3.3.14). */
function stringsOf(text: string): Buffer[] {
  const octets = Buffer.from(text);
  const count = Math.max(1, Math.ceil(octets.length / 255));
  return Array.from({ length: count }, (_, at) => octets.subarray(at * 255, (at + 1) * 255));
}

function encodeName(name: string): Buffer {
  const labels = (name.match(/(?:\\.|[^.\\])+/g) ?? []).map((label) =>
    Buffer.from(label.replace(/\\(.)/g, '$1'), 'latin1').subarray(0, 63),
  );
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), label]),
    Buffer.from([0]),
  ]);
}

/** Reads the name in a query, which is never compressed. */
function readName(buffer: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = buffer[at] ?? 0; length > 0; length = buffer[at] ?? 0) {
    labels.push(buffer.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** The UDP size in the query's OPT record (RFC 6891, section 6.1.2); OPT is the only record after the question. */
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
  type: 'TXT' | 'MX' | 'SRV' | 'CNAME';
  name: string;
  value: string;
  priority: number | null;
}

/** Adds records in the format of the API to the zone. */
export function publish(zone: DnsZone, records: readonly PublishedRecord[]): void {
  for (const { type, name, value, priority } of records) {
    const text = priority === null ? value : `${priority} ${value}`;
    zone[name] = { ...zone[name], [type]: [...(zone[name]?.[type] ?? []), text] };
  }
}
