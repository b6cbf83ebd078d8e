/** The file `/llms.txt` (https://llmstxt.org), which lists the documentation for programs that answer questions about it. */
import type { Instance } from './instance.ts';
import type { Group } from './menu.ts';

export function llmsText(
  groups: readonly Group[],
  { address, hostedDomain }: Instance,
  pageAt: (path: string) => { url: string; title: string; description: string },
): string {
  const sections = groups.map(({ title, entries }) => {
    const pages = entries.map(({ path }) => {
      const page = pageAt(path);
      return `- [${page.title}](${page.url}): ${page.description}`;
    });
    return `## ${title}\n\n${pages.join('\n')}\n`;
  });
  return `# Posthorn

> Posthorn accepts transactional email over HTTP and SMTP, sends it, reports what happens to it, and has mailboxes for replies.

The API of this server is at ${address}. Every request needs the header \`Authorization: Bearer <API_KEY>\`. Every project can send from ${hostedDomain} without any
setup. The pages below are Markdown. Remove \`.md\` from a URL to get the page for browsers.

- [OpenAPI document](${address}/openapi.json): every operation, field and error, as JSON. Also as [YAML](${address}/openapi.yaml).
- [Postman collection](${address}/docs/postman.json): every operation as a request with an example.

${sections.join('\n')}`;
}
