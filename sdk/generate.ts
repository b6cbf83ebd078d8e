/** Writes `src/generated.ts` from the OpenAPI document of the API: `npm run -s generate -w sdk`. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ApiDocument } from '../src/doors/http/api-document.ts';
import { openApiDocument } from '../src/doors/http/openapi.ts';
import { resourcesOf } from './generator/resources.ts';
import { declarationOf } from './generator/schema-type.ts';

export const GENERATED = fileURLToPath(new URL('./src/generated.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The text of `src/generated.ts`. */
export function generate(document: ApiDocument): string {
  const components = Object.entries(document.components.schemas);
  const text = [
    `/** Made by \`npm run -s generate -w sdk\` from the OpenAPI document of contract version ${document.info.version}. Do not edit. */\n` +
      `import type { Call, CallOptions, SendOptions } from './request.ts';\n` +
      `import { iterate } from './iterate.ts';\n`,
    ...components.map(([name, schema]) => declarationOf(name, schema)),
    webhookEventOf(document),
    resourcesOf(document),
  ].join('\n');
  const args = ['format', `--stdin-file-path=${GENERATED}`];
  return execFileSync('node_modules/.bin/biome', args, { cwd: ROOT, input: text, encoding: 'utf8' });
}

/** The union of what webhooks deliver. */
function webhookEventOf({ webhooks }: ApiDocument): string {
  const bodies = Object.values(webhooks).map(
    ({ post }) => post.requestBody.content['application/json']?.schema,
  );
  const description = 'What a webhook delivers: `event.type` says which one it is.';
  return bodies.length === 0
    ? ''
    : declarationOf('WebhookEvent', { description, anyOf: bodies.map((body) => body ?? {}) });
}

if (import.meta.main) await writeFile(GENERATED, generate(openApiDocument(null)));
