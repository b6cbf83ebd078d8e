/** The menu, the order of its pages, and links to the previous and the next page. */
import { type Html, html } from '../html.ts';

interface Entry {
  /** The path below `/docs`. Empty for the first page. */
  path: string;
  /** The text in the menu, which may be shorter than the heading of the page. */
  label: string;
}

export interface Group {
  title: string;
  entries: readonly Entry[];
}

type Row = readonly [path: string, label?: string];

/** `api/*` stands for all pages below `api/` that have no row, and `*` stands for all remaining pages. */
const ORDER: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: 'Get started',
    rows: [
      [''],
      ['api-keys'],
      ['sdk', 'TypeScript SDK'],
      ['submission'],
      ['frameworks', 'Frameworks'],
      ['dev', 'Development and tests'],
    ],
  },
  {
    title: 'Sending',
    rows: [
      ['domains'],
      ['batch', 'Batch sending'],
      ['scheduling', 'Scheduled sending'],
      ['templates'],
      ['tracking', 'Tracking and unsubscribing'],
      ['bounces'],
      ['suppressions'],
      ['webhooks'],
      ['plans'],
      ['*'],
    ],
  },
  {
    title: 'Migrating',
    rows: [
      ['migrate-from-resend', 'From Resend'],
      ['migrate-from-postmark', 'From Postmark'],
      ['migrate-from-sendgrid', 'From SendGrid'],
      ['migrate-from-mailcow', 'From mailcow'],
      ['moving-in', 'Moving mailboxes in'],
    ],
  },
  {
    title: 'API reference',
    rows: [['api', 'Overview'], ['api/*'], ['errors'], ['contract', 'Rules of the API']],
  },
  {
    title: 'Dashboard',
    rows: [
      ['dashboard', 'Users and sign-in'],
      ['roles'],
      ['threat-model'],
      ['overview', 'Overview'],
      ['charts', 'Metrics'],
      ['emails', 'One email'],
      ['emails-search', 'Finding emails'],
      ['api-log', 'API log'],
      ['alerts', 'Alerts'],
    ],
  },
  {
    title: 'Mailboxes',
    rows: [
      ['mailboxes'],
      ['web-client'],
      ['file-links'],
      ['mail-apps'],
      ['rules', 'Rules, vacation, forwarding'],
      ['routes', 'Mail for programs'],
      ['directory'],
      ['run-beside', 'Calendars and contacts'],
    ],
  },
  {
    title: 'Installation',
    rows: [
      ['operate/install', 'Install'],
      ['operate/kubernetes', 'Kubernetes'],
      ['performance', 'Performance and sizing'],
      ['operate/configuration'],
      ['operate/command-line'],
      ['operate/provider', 'Choosing a provider'],
      ['operate/smart-host', 'Smart host'],
      ['operate/ses', 'Amazon SES'],
      ['operate/direct-delivery', 'Direct delivery: setup'],
      ['delivery', 'Direct delivery: how it works'],
      ['operate/deliverability', 'Deliverability'],
      ['operate/shaping', 'Limits of destinations'],
      ['operate/tls-results', 'TLS results'],
      ['operate/inbound', 'Receiving mail'],
      ['operate/spam', 'Spam'],
      ['operate/file-links', 'File links'],
      ['operate/certificates'],
      ['operate/doctor', 'Doctor'],
    ],
  },
  {
    title: 'Operations',
    rows: [
      ['operate/health', 'Health'],
      ['operate/metrics'],
      ['operate/logs'],
      ['operate/tracing'],
      ['operate/backup'],
      ['operate/point-in-time', 'Point-in-time recovery'],
      ['operate/retention', 'Retention'],
      ['gdpr', 'GDPR'],
      ['operate/postgresql', 'External PostgreSQL'],
      ['operate/high-availability', 'High availability'],
      ['operate/blobs', 'Message storage'],
      ['operate/upgrade'],
      ['operate/*'],
      ['changelog', 'Changelog'],
    ],
  },
];

/** The folders of the wildcard rows. */
const WILDCARDS = ORDER.flatMap(({ rows }) => rows.map(([path]) => path))
  .filter((path) => path.endsWith('/*'))
  .map((path) => path.slice(0, -1));

/** Builds the menu, which contains every page. */
export function menuOf(pages: readonly { path: string; title: string }[]): Group[] {
  const titles = new Map(pages.map(({ path, title }) => [path, title]));
  const named = new Set(ORDER.flatMap(({ rows }) => rows.map(([path]) => path)));
  const unnamed = [...titles.keys()].filter((path) => !named.has(path));
  const isBelow = (path: string, folder: string) => folder !== '' && path.startsWith(folder);
  const matching = (pattern: string) => {
    const folder = pattern.slice(0, -1);
    return unnamed.filter((path) =>
      folder === '' ? !WILDCARDS.some((other) => isBelow(path, other)) : isBelow(path, folder),
    );
  };
  return ORDER.map(({ title, rows }) => ({
    title,
    entries: rows.flatMap(([path, label]) =>
      (path.endsWith('*') ? matching(path) : [path]).flatMap((found) => {
        const known = titles.get(found);
        return known === undefined ? [] : [{ path: found, label: label ?? known }];
      }),
    ),
  })).filter(({ entries }) => entries.length > 0);
}

export function menuView(groups: readonly Group[], current: string, root: string): Html {
  return html`${groups.map(
    ({
      title,
      entries,
    }) => html`<details${entries.some(({ path }) => path === current) ? html` open` : null}><summary>${title}</summary>
<ul>
${entries.map(({ path, label }) => html`<li><a href="${hrefOf(path, root)}"${path === current ? html` aria-current="page"` : null}>${label}</a></li>\n`)}</ul></details>
`,
  )}<ul class="elsewhere">
<li><a href="${root}dashboard">Dashboard</a></li>
<li><a href="${root}openapi.yaml">OpenAPI document</a></li>
<li><a href="${root}docs/postman.json">Postman collection</a></li>
<li><a href="${root}llms.txt">Documentation for AI tools</a></li>
</ul>
`;
}

/** Links to the previous and the next page. */
export function neighborsView(groups: readonly Group[], current: string, root: string): Html {
  const entries = groups.flatMap((group) => group.entries);
  const at = entries.findIndex(({ path }) => path === current);
  const link = (entry: Entry | undefined, words: string, rel: string) =>
    entry === undefined
      ? null
      : html`<a class="${rel}" rel="${rel}" href="${hrefOf(entry.path, root)}"><span>${words}</span> ${entry.label}</a>\n`;
  return html`<nav class="turn" aria-label="Previous and next page">
${link(entries[at - 1], 'Previous', 'prev')}${link(entries[at + 1], 'Next', 'next')}</nav>
`;
}

export function hrefOf(path: string, root: string): string {
  return path === '' ? `${root}docs` : `${root}docs/${path}`;
}
