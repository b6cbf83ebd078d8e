/** An operation's request in TypeScript, using the SDK. */
import { clientMethods } from '../../client-methods.ts';
import type { Instance } from '../instance.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { requestOf } from './example-request.ts';

export function typescriptOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const { names, parameters, body } = requestOf(operation, reader);
  const [resource = ''] = operation.tags;
  const values = [
    ...names,
    ...(body === undefined ? [] : [body]),
    ...(Object.keys(parameters).length === 0 ? [] : [parameters]),
  ];
  const method = clientMethods(reader.document).get(operation.operationId);
  const call = `await posthorn.${resource}.${method}(${values.map((value) => literal(value)).join(', ')})`;
  const hasAnswer = reader.successExample(operation) !== undefined;
  return `import { Posthorn } from '@posthorn/sdk';

const posthorn = new Posthorn({
  apiKey: process.env.POSTHORN_KEY ?? '',
  baseUrl: ${literal(instance.address)},
});
${hasAnswer ? `const answer = ${call};\nconsole.log(answer);` : `${call};`}`;
}

/** A TypeScript literal in common style, with unquoted names where possible and single quotes. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const short = `[${value.map((each) => literal(each, inner)).join(', ')}]`;
    return short.length + indent.length <= 80 && !short.includes('\n')
      ? short
      : `[\n${value.map((each) => `${inner}${literal(each, inner)},\n`).join('')}${indent}]`;
  }
  const members = Object.entries(value).map(
    ([name, each]) =>
      `${inner}${/^[A-Za-z_]\w*$/.test(name) ? name : text(name)}: ${literal(each, inner)},\n`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}

function text(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", String.raw`\'`)}'`;
}
