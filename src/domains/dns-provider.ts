/** Recognizes the DNS provider of a zone by the names of its name servers. */
import type { DashboardDomain } from '../contract/dashboard/domains.ts';
import type { DomainClaim } from './claim.ts';

interface Provider {
  name: string;
  /** The provider's page for DNS records. `{zone}` is the name of the zone. Null if several providers use these name servers. */
  url: string | null;
  /** Every name server of the provider is below one of these names. */
  nameServers: readonly string[];
}

/** Route 53 numbers the domains of its name servers, such as `ns-12.awsdns-34.org`. */
const ROUTE_53 = Array.from({ length: 64 }, (_, at) => `awsdns-${String(at).padStart(2, '0')}`).flatMap(
  (name) => ['com', 'net', 'org', 'co.uk'].map((under) => `${name}.${under}`),
);

const PROVIDERS: readonly Provider[] = [
  {
    name: 'Cloudflare',
    url: 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records',
    nameServers: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'],
  },
  {
    name: 'Amazon Route 53',
    url: 'https://console.aws.amazon.com/route53/v2/hostedzones',
    nameServers: ROUTE_53,
  },
  {
    name: 'GoDaddy',
    url: 'https://dcc.godaddy.com/manage/{zone}/dns',
    nameServers: ['domaincontrol.com'],
  },
  {
    name: 'Namecheap',
    url: 'https://ap.www.namecheap.com/Domains/DomainControlPanel/{zone}/advancedns',
    nameServers: ['registrar-servers.com'],
  },
  {
    name: 'Squarespace',
    url: 'https://account.squarespace.com/domains',
    nameServers: ['squarespacedns.com'],
  },
  // Squarespace took over the domains of Google with their name servers, which Google Cloud also uses.
  { name: 'Squarespace or Google Cloud', url: null, nameServers: ['googledomains.com'] },
  {
    name: 'DigitalOcean',
    url: 'https://cloud.digitalocean.com/networking/domains/{zone}',
    nameServers: ['digitalocean.com'],
  },
  {
    name: 'Hetzner',
    url: 'https://console.hetzner.com/',
    nameServers: ['ns.hetzner.com', 'ns.hetzner.de'],
  },
  {
    name: 'OVHcloud',
    url: 'https://www.ovh.com/manager/#/web/zone/{zone}',
    nameServers: ['ovh.net', 'ovh.ca', 'anycast.me'],
  },
  { name: 'Gandi', url: 'https://admin.gandi.net/domain', nameServers: ['gandi.net'] },
  {
    name: 'Vercel',
    url: 'https://vercel.com/dashboard/domains',
    nameServers: ['vercel-dns.com', 'vercel-dns-3.com'],
  },
  { name: 'NS1, which Netlify and others use', url: null, nameServers: ['nsone.net'] },
  {
    name: 'Azure',
    url: 'https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones',
    nameServers: ['azure-dns.com', 'azure-dns.net', 'azure-dns.org', 'azure-dns.info'],
  },
  { name: 'Porkbun', url: 'https://porkbun.com/account/domains', nameServers: ['porkbun.com'] },
  {
    name: 'IONOS',
    url: 'https://my.ionos.com/domains',
    nameServers: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'],
  },
  {
    name: 'DNSimple',
    url: 'https://dnsimple.com/dashboard',
    nameServers: ['dnsimple.com', 'dnsimple-edge.net', 'dnsimple-edge.org'],
  },
  { name: 'Akamai', url: 'https://cloud.linode.com/domains', nameServers: ['linode.com'] },
  { name: 'Akamai Edge DNS', url: 'https://control.akamai.com/', nameServers: ['akam.net'] },
  { name: 'bunny.net', url: 'https://dash.bunny.net/dns', nameServers: ['bunny.net'] },
  { name: 'name.com', url: 'https://www.name.com/account/domain', nameServers: ['name.com'] },
  { name: 'Hover', url: 'https://www.hover.com/control_panel/domain/{zone}/dns', nameServers: ['hover.com'] },
  { name: 'STRATO', url: 'https://www.strato.de/apps/CustomerService', nameServers: ['rzone.de'] },
  { name: 'Vultr', url: 'https://my.vultr.com/dns/', nameServers: ['vultr.com'] },
  { name: 'Wix', url: 'https://manage.wix.com/account/domains', nameServers: ['wixdns.net'] },
];

const BY_NAME = new Map(
  PROVIDERS.flatMap((provider) => provider.nameServers.map((name) => [name, provider] as const)),
);

/**
 * The provider that hosts the DNS zone of a domain. Null if the zone or one of its name servers is unknown, or if several providers host
 * it, because a record must then be published at each of them.
 *
 * Attack: the owner of a domain publishes name servers that make the page link to another site. Links therefore come from the table. They
 * contain at most the name of the zone, which is the domain or a parent of it.
 */
export function dnsProvider({
  dnsZone,
  nameServers,
}: Pick<DomainClaim, 'dnsZone' | 'nameServers'>): DashboardDomain['dns_provider'] {
  const [provider, ...others] = new Set((nameServers ?? []).map(providerOf));
  if (dnsZone === null || provider === undefined || others.length > 0) return null;
  const { name, url } = provider;
  return { name, url: url?.replace('{zone}', encodeURIComponent(dnsZone)) ?? null };
}

function providerOf(host: string): Provider | undefined {
  const labels = host.split('.');
  // At least one label in front: the name itself is no name server of the provider.
  return labels.map((_, at) => BY_NAME.get(labels.slice(at + 1).join('.'))).find(Boolean);
}
