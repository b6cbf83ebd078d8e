/** Starts direct delivery to test servers, which are looked up in a test DNS server. */
import { Direct, type DirectOptions } from '../../src/sending/deliver/direct/direct.ts';
import { FULL_SHARE } from '../../src/concurrency/share.ts';
import { DnsResolver } from '../../src/net/dns.ts';
import { type DnsServer, type DnsZone, startDnsServer } from './dns-server.ts';

export interface TestDirect extends Direct, AsyncDisposable {
  readonly dns: DnsServer;
}

/** The mail servers of `example.net` are `mx0.example.net` (127.0.0.1) and `mx1.example.net` (127.0.0.2), in this order. */
export const TWO_HOSTS: DnsZone = {
  'example.net': { MX: ['10 mx0.example.net', '20 mx1.example.net'] },
  'mx0.example.net': { A: ['127.0.0.1'] },
  'mx1.example.net': { A: ['127.0.0.2'] },
};

/** @param port the port of all mail servers */
export async function directTo(
  port: number,
  zone: DnsZone,
  options: Partial<DirectOptions> = {},
): Promise<TestDirect> {
  const dns = await startDnsServer(zone);
  const direct = new Direct({
    heloName: 'client.example',
    resolver: new DnsResolver(dns.address),
    mxPort: port,
    environment: 'development',
    shaping: {
      ruleFor: () => ({
        name: null,
        maxConnections: 10,
        maxMessagesPerConnection: 100,
        maxMessagesPerSecond: null,
      }),
    },
    stsPolicies: { find: async () => null },
    tlsResults: { record: () => {} },
    share: () => FULL_SHARE,
    ...options,
  });
  return Object.assign(direct, {
    dns,
    async [Symbol.asyncDispose]() {
      await direct.close();
      await dns[Symbol.asyncDispose]();
    },
  });
}
