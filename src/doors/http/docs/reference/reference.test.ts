/** Checks the API reference pages against the OpenAPI document. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../../model/app-error.ts';
import type { ApiDocument } from '../../api-document.ts';
import { curlOf } from '../examples/curl.ts';
import { examplesOf } from '../examples/examples-view.ts';
import type { Element } from '../page.fixture.ts';
import { INSTANCE, openSite } from '../site.fixture.ts';
import { DocumentReader } from './document.ts';

const { document, pages } = await openSite();
const reader = new DocumentReader(document);
const pageOf = (path: string) => pages.get(path) ?? [];

test('the page of a resource shows each operation with its scope, parameters, fields, statuses, errors and examples', () => {
  assert.ok(reader.operations.length > 20);
  for (const operation of reader.operations) {
    const elements = pageOf(`api/${operation.tags[0]}`);
    const article = labeled(elements, `op-${operation.operationId}`);
    const expected = [
      `${operation.method} ${operation.path}`,
      operation.summary,
      `Scope ${operation.scope}`,
      ...reader.parameters(operation).map(({ name }) => name),
      ...reader.responses(operation).map(([status]) => status),
      ...reader
        .responses(operation)
        .flatMap(([, { content = {} }]) => Object.keys(content['application/problem+json']?.examples ?? {})),
      ...examplesOf(operation, reader, INSTANCE).map(({ code }) => code),
    ];
    for (const text of expected) assert.ok(article.text.includes(text), `${operation.operationId}: ${text}`);
    const schema = operation.requestBody?.content['application/json']?.schema;
    const fields = Object.keys(schema === undefined ? {} : (reader.deref(schema).properties ?? {}));
    const shown = within(elements, article).flatMap(({ name, text }) =>
      name === 'dt' ? text.split(' ')[0] : [],
    );
    for (const field of fields) assert.ok(shown.includes(field), `${operation.operationId}: ${field}`);
  }
});

test('the page of a resource says where the id in each variable of its commands comes from', () => {
  const named = document.tags.flatMap(({ name: tag }) => {
    const commands = reader.operationsOf(tag).map((operation) => curlOf(operation, reader, INSTANCE));
    const variables = new Set(commands.join('').match(/\$\w+_ID/g));
    const elements = pageOf(`api/${tag}`);
    const explained = elements.flatMap(({ name, text }) =>
      name === 'li' ? (/^\$\w+/.exec(text) ?? []) : [],
    );
    assert.deepEqual(explained.toSorted(), [...variables].toSorted(), tag);
    return explained;
  });
  assert.ok(named.length > 7);
});

test('every object of the document is described exactly once, and is linked from the overview', () => {
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) {
    const id = `schema-${name}`;
    const places = [...pages].flatMap(([path, elements]) =>
      elements
        .filter((element) => element.attributes['id'] === id && /^h\d$/.test(element.name))
        .map((element) => ({ path, around: element.parent })),
    );
    assert.equal(places.length, 1, name);
    for (const field of Object.keys(schema.properties ?? {}))
      assert.ok(places[0]?.around?.text.includes(field), `${name}: ${field}`);
    assert.ok(
      pageOf('api').some(({ attributes }) => attributes['id'] === id),
      name,
    );
  }
});

test('the overview has a link at each old anchor to the new location', () => {
  const ids = new Set(pageOf('api').map(({ attributes }) => attributes['id']));
  const anchors = [
    ...reader.operations.map(({ operationId }) => `op-${operationId}`),
    ...document.tags.map(({ name }) => `tag-${name}`),
    ...ERROR_CODES.map((code) => `errors-${code}`),
    'errors',
    'schemas',
  ];
  for (const anchor of anchors) assert.ok(ids.has(anchor), anchor);
});

test('text from the OpenAPI document is escaped on the pages', async () => {
  const evil = `</code><script>alert(1)</script><img src=x onerror="alert(1)">'"&`;
  const hostile = JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      ['description', 'summary', 'title', 'example', 'pattern'].includes(key) && typeof value === 'string'
        ? evil
        : value,
    ),
  ) as ApiDocument;
  for (const [path, elements] of (await openSite(hostile)).pages)
    assert.equal(elements.filter(({ name }) => name === 'script').length, 2, path);
});

function labeled(elements: readonly Element[], id: string): Element {
  const found = elements.find(({ attributes }) => attributes['aria-labelledby'] === id);
  assert.ok(found, `there is no ${id}`);
  return found;
}

function within(elements: readonly Element[], ancestor: Element): Element[] {
  return elements.filter((element) => {
    let at: Element | null = element;
    while (at !== null && at !== ancestor) at = at.parent;
    return at === ancestor;
  });
}
