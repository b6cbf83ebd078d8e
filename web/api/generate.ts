/** Writes `schema.ts` from the OpenAPI document of the dashboard, and `mail-schema.ts` from that of the web client: `npm run -s generate -w web`. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { commentOf, declarationOf, typeOf } from '../../sdk/generator/schema-type.ts';
import type {
  DocumentOperation,
  Media,
  Parameter,
  Response,
  Schema,
} from '../../src/edge/http/api-document.ts';
import { dashboardDocument } from '../../src/edge/http/dashboard/openapi.ts';
import { mailDocument } from '../../src/edge/http/mail/openapi.ts';

/** What is made of each application's document. */
export const GENERATED = [
  {
    application: 'dashboard',
    file: fileURLToPath(new URL('schema.ts', import.meta.url)),
    document: dashboardDocument,
  },
  {
    application: 'web client',
    file: fileURLToPath(new URL('mail-schema.ts', import.meta.url)),
    document: mailDocument,
  },
] as const;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACES = ['query', 'path', 'header'] as const;

type Document = Pick<ReturnType<typeof dashboardDocument>, 'paths' | 'components'>;

/** The text of a file: the schemas that operations name, and `paths`, which openapi-fetch reads. */
export function generate(application: string, { paths, components }: Document): string {
  const operations = Object.entries(paths).map(([path, methods]) => {
    const members = Object.entries(methods).map(([method, operation]) => operationType(method, operation));
    return `${JSON.stringify(path.replace(/^\/\w+\/api/, ''))}: {\n${members.join('')}};\n`;
  });
  const pathsType = `export interface paths {\n${operations.join('')}}\n`;
  const text = [
    `/** Made by \`npm run -s generate -w web\` from the OpenAPI document of the ${application}. Do not edit. */\n`,
    ...reachable(pathsType, components.schemas),
    pathsType,
  ].join('\n');
  const args = ['format', '--stdin-file-path=web/api/schema.ts'];
  return execFileSync('node_modules/.bin/biome', args, { cwd: ROOT, input: text, encoding: 'utf8' });
}

function operationType(
  method: string,
  { summary, parameters = [], requestBody, responses }: DocumentOperation,
): string {
  const body = requestBody?.content['application/json']?.schema;
  const isRequired = requestBody?.required === true;
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => `${status}: { content: ${contentType(response as Response)} };`);
  return (
    `${commentOf(summary)}${method}: {\n` +
    `parameters: { ${PLACES.map((place) => parametersType(place, parameters)).join(' ')} cookie?: never };\n` +
    (body === undefined
      ? 'requestBody?: never;\n'
      : `requestBody${isRequired ? '' : '?'}: { content: { 'application/json': ${typeOf(body)} } };\n`) +
    `responses: { ${answers.join(' ')} };\n};\n`
  );
}

function parametersType(place: Parameter['in'], parameters: readonly Parameter[]): string {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return `${place}?: never;`;
  const members = found.map(
    ({ name, required, schema }) =>
      `${JSON.stringify(name)}${required ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`};`,
  );
  const isOptional = found.every(({ required }) => required !== true);
  return `${place}${isOptional ? '?' : ''}: { ${members.join(' ')} };`;
}

function contentType({ content }: Response): string {
  const media = Object.entries(content ?? {});
  if (media.length === 0) return 'never';
  return `{ ${media.map(([type, each]) => `${JSON.stringify(type)}: ${mediaType(each)};`).join(' ')} }`;
}

function mediaType({ schema }: Media): string {
  return schema === undefined ? 'string' : typeOf(schema);
}

/** The schemas that a text names, and those that they name. */
function reachable(text: string, schemas: Readonly<Record<string, Schema>>): string[] {
  const found = new Map<string, string>();
  const look = (part: string): void => {
    for (const [name] of part.replaceAll(/"[^"]*"|\/\*[\s\S]*?\*\//g, '').matchAll(/\b[A-Z]\w*/g)) {
      const schema = schemas[name];
      if (schema === undefined || found.has(name)) continue;
      const declaration = declarationOf(name, schema);
      found.set(name, declaration);
      look(declaration);
    }
  };
  look(text);
  return [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, declaration]) => declaration);
}

if (import.meta.main)
  for (const { application, file, document } of GENERATED)
    await writeFile(file, generate(application, document()));
