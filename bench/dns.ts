/** A DNS server in a separate process. Arguments: port, path of the zone as JSON. */
import { readFileSync } from 'node:fs';
import { type DnsZone, startDnsServer } from '../test/support/dns-server.ts';

const [port, path] = process.argv.slice(2);
const zone: DnsZone = JSON.parse(readFileSync(path ?? '', 'utf8'));
await startDnsServer(zone, { host: '127.0.0.1', port: Number(port) });
