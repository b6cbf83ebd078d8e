/** Renders the pages below `/docs` without a server. */
import type { ApiDocument } from '../api-document.ts';
import { openApiDocument } from '../openapi.ts';
import type { Instance } from './instance.ts';
import { checkPage, type Element } from './page.fixture.ts';
import { DocsSite } from './site.ts';

export const INSTANCE: Instance = {
  address: 'http://localhost:8025',
  webClient: 'http://localhost:8025/mail',
  hostedDomain: 'hosted.example',
  submission: { host: 'mail.example', port: 465, security: 'tls' },
};

export interface OpenedSite {
  document: ApiDocument;
  site: DocsSite;
  /** All pages by path, each checked and parsed into its elements. */
  pages: ReadonlyMap<string, readonly Element[]>;
}

export async function openSite(
  document: ApiDocument = openApiDocument(null, INSTANCE.hostedDomain),
): Promise<OpenedSite> {
  const site = await DocsSite.open(document, INSTANCE);
  const pages = new Map(site.paths.map((path) => [path, checkPage(site.page(path) ?? '')] as const));
  return { document, site, pages };
}
