import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsProvider } from './dns-provider.ts';

const at = (dnsZone: string | null, ...nameServers: string[]) => dnsProvider({ dnsZone, nameServers });

for (const [provider, ...hosts] of [
  ['Cloudflare', 'ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
  ['Cloudflare', 'blue.foundationdns.com', 'blue.foundationdns.net', 'blue.foundationdns.org'],
  [
    'Amazon Route 53',
    'ns-1.awsdns-00.com',
    'ns-512.awsdns-07.net',
    'ns-1033.awsdns-63.org',
    'ns-9.awsdns-09.co.uk',
  ],
  ['GoDaddy', 'ns01.domaincontrol.com', 'ns02.domaincontrol.com'],
  ['Azure', 'ns1-01.azure-dns.com', 'ns2-01.azure-dns.net', 'ns3-01.azure-dns.org', 'ns4-01.azure-dns.info'],
  ['IONOS', 'ns1045.ui-dns.com', 'ns1045.ui-dns.de', 'ns1045.ui-dns.org', 'ns1045.ui-dns.biz'],
  ['Hetzner', 'helium.ns.hetzner.de', 'hydrogen.ns.hetzner.com'],
  ['DNSimple', 'ns1.dnsimple.com', 'ns2.dnsimple-edge.net'],
  ['STRATO', 'docks01.rzone.de', 'shades01.rzone.de'],
] as const)
  test(`${hosts.join(' and ')} belong to ${provider}`, () => {
    assert.equal(at('acme.example', ...hosts)?.name, provider);
  });

for (const [why, ...hosts] of [
  ['no name server is known'],
  ['a name server is unknown', 'ada.ns.cloudflare.com', 'ns1.acme.example'],
  ['the zone has two providers', 'ada.ns.cloudflare.com', 'ns01.domaincontrol.com'],
  ['a name only ends like a provider', 'ns1.notdomaincontrol.com', 'ns.xawsdns-00.com'],
  ['a name contains the name of a provider', 'domaincontrol.com.evil.example'],
  ['a name server is the name of the provider itself', 'domaincontrol.com'],
] as const)
  test(`the provider is unknown if ${why}`, () => {
    assert.equal(at('acme.example', ...hosts), null);
  });

test('the provider is unknown if the zone is', () => {
  assert.equal(at(null, 'ada.ns.cloudflare.com'), null);
  assert.equal(dnsProvider({ dnsZone: 'acme.example', nameServers: null }), null);
});

test('the link leads to the zone, to all zones of the user, or nowhere if several providers share the name servers', () => {
  for (const [host, url] of [
    ['ada.ns.cloudflare.com', 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records'],
    ['ns1.digitalocean.com', 'https://cloud.digitalocean.com/networking/domains/xn--bcher-kva.example'],
    ['ns-1.awsdns-00.com', 'https://console.aws.amazon.com/route53/v2/hostedzones'],
    ['ns-cloud-a1.googledomains.com', null],
  ] as const)
    assert.equal(at('xn--bcher-kva.example', host)?.url, url);
});
