/** An operation's request in Python, using only Python's standard library. */
import type { Instance } from '../instance.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { requestOf } from './example-request.ts';

export function pythonOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const { method, path, id, query, headers, body } = requestOf(operation, reader);
  const url = `${instance.address}${path.replace('{id}', () => id ?? '')}${query}`;
  const sent = [
    ...headers.map(([name, value]) => [name, JSON.stringify(value)] as const),
    ...(body === undefined ? [] : [['Content-Type', '"application/json"'] as const]),
  ];
  const hasAnswer = reader.successExample(operation) !== undefined;
  return `${body === undefined && !hasAnswer ? '' : 'import json\n'}import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="${method}",
    headers={
        "Authorization": "Bearer " + os.environ["POSTHORN_KEY"],
${sent.map(([name, value]) => `        ${JSON.stringify(name)}: ${value},\n`).join('')}    },
${body === undefined ? '' : `    data=json.dumps(${literal(body, '    ')}).encode(),\n`})
with urllib.request.urlopen(request) as answer:
    print(${hasAnswer ? 'json.load(answer)' : 'answer.status'})`;
}

const WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** A Python literal. JSON strings are valid in Python, because escapes differ only for surrogate pairs, which no example contains. */
function literal(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    return WORDS[text] ?? text;
  }
  const inner = `${indent}    `;
  if (Array.isArray(value)) {
    const items = value.map((each) => literal(each, inner));
    const short = `[${items.join(', ')}]`;
    return short.length + indent.length <= 80 && !short.includes('\n')
      ? short
      : `[\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`;
  }
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${literal(each, inner)},\n`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}
