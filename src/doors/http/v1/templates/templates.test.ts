import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RealApi, startRealApi, type TestProject } from '../../../../../test/support/api.ts';
import type { Template, TemplateList } from '../../../../contract/templates.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, newUuid } from '../../../../model/ids.ts';
import type { TemplateFields } from '../../../../templates/check-template.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '../../../../templates/save-template.ts';

const UNKNOWN = `tpl_${'0'.repeat(26)}`;
let api: RealApi;
let projects = 0;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

/** A project without templates. */
const newProject = () => api.newProject(`project ${++projects}`, 'paid');

const create = (project: TestProject, fields: Partial<TemplateFields> = {}) =>
  createTemplate(api.db.database, project.id, {
    name: 'welcome',
    subject: 'Hello {{ name }}',
    html: '<p>{{ order.id }}</p>',
    text: '{{ name }} {{ order.total }}',
    ...fields,
  });

async function get(project: TestProject, id: string): Promise<Template> {
  const { status, body } = await project.client.get<Template>(`/v1/templates/${encodeId('tpl', id)}`);
  assert.equal(status, 200);
  return body;
}

async function list(project: TestProject): Promise<Template[]> {
  const { status, body } = await project.client.get<TemplateList>('/v1/templates');
  assert.equal(status, 200);
  return body.data;
}

/** Waits for a promise to reject, and returns the errors by field. */
async function refused(promise: Promise<unknown>, code: string): Promise<Readonly<Record<string, string>>> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    return error.errors ?? {};
  }
  assert.fail('it was taken');
}

describe('reading', () => {
  test('returns a template as saved, with the variables of subject, html and text', async () => {
    const project = await newProject();
    const { id } = await create(project);
    const { created_at, updated_at, ...template } = await get(project, id);
    assert.deepEqual(template, {
      id: encodeId('tpl', id),
      name: 'welcome',
      subject: 'Hello {{ name }}',
      html: '<p>{{ order.id }}</p>',
      text: '{{ name }} {{ order.total }}',
      variables: ['name', 'order.id', 'order.total'],
    });
    assert.equal(updated_at, created_at);
    assert.deepEqual(await list(project), [{ ...template, created_at, updated_at }]);
  });

  test('lists templates by name', async () => {
    const project = await newProject();
    assert.deepEqual(await list(project), []);
    for (const name of ['receipt', 'änderung', 'Welcome', 'reminder']) await create(project, { name });
    assert.deepEqual(
      (await list(project)).map(({ name }) => name),
      ['änderung', 'receipt', 'reminder', 'Welcome'],
    );
  });

  test('reports a template of another project as unknown', async () => {
    const project = await newProject();
    const { id } = await create(await newProject());
    const answerOf = async (asked: string) => {
      const { status, body } = await project.client.get(`/v1/templates/${asked}`);
      return { status, body: { ...body, instance: '' } };
    };
    const unknown = await answerOf(UNKNOWN);
    assert.equal(unknown.status, 404);
    for (const asked of [encodeId('tpl', id), encodeId('per', id), 'x', '%00']) {
      assert.deepEqual(await answerOf(asked), unknown, asked);
    }
    assert.deepEqual(await list(project), []);
  });

  test('requires its scope', async () => {
    const reads = await api.project.clientWith(['templates:read']);
    const other = await api.project.clientWith(['emails:read', 'directory:read']);
    assert.equal((await reads.get('/v1/templates')).status, 200);
    assert.equal((await reads.get(`/v1/templates/${UNKNOWN}`)).status, 404);
    assert.equal((await other.get('/v1/templates')).status, 403);
    assert.equal((await other.get(`/v1/templates/${UNKNOWN}`)).status, 403);
  });

  test('is the only thing that the API can do with templates', async () => {
    const { status, headers } = await api.project.client.request('POST', '/v1/templates', { body: {} });
    assert.equal(status, 405);
    assert.match(headers.get('allow') ?? '', /^GET/);
  });
});

describe('saving', () => {
  const wrong: [what: string, fields: Partial<TemplateFields>, errors: Record<string, RegExp>][] = [
    ['a syntax error', { html: '<p>\n\n{{ a' }, { html: /^line 3, column 1: .*not closed/ }],
    [
      'syntax errors everywhere',
      { subject: '{% x %}', text: 'a {{ }}' },
      { subject: /^line 1, column 1: there is no tag x/, text: /^line 1, column \d+: / },
    ],
    ['an empty name', { name: '' }, { name: /blank/ }],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, { name: /at most 200/ }],
    ['a name with a line break', { name: 'a\nb' }, { name: /line breaks/ }],
    ['a subject of 999 characters', { subject: 'a'.repeat(999) }, { subject: /at most 998/ }],
    ['a subject with a line break', { subject: 'a\r\nBcc: b' }, { subject: /line breaks/ }],
    ['html of more than 2 MiB', { html: 'ü'.repeat(1024 * 1024 + 1) }, { html: /at most 2097152 bytes/ }],
    ['NUL', { text: 'a\0' }, { text: /NUL/ }],
    ['a lone surrogate', { text: '\ud800' }, { text: /surrogate/ }],
    ['no body', { html: '', text: '' }, { html: /is required/, text: /is required/ }],
  ];
  for (const [what, fields, expected] of wrong) {
    test(`rejects ${what}`, async () => {
      const project = await newProject();
      const errors = await refused(create(project, fields), 'validation-failed');
      assert.deepEqual(Object.keys(errors), Object.keys(expected));
      for (const [field, message] of Object.entries(expected)) assert.match(errors[field] ?? '', message);
      assert.deepEqual(await list(project), []);
    });
  }

  test('accepts a body of 2 MiB, and a template with only one body', async () => {
    const project = await newProject();
    const { id } = await create(project, { html: 'ü'.repeat(1024 * 1024), text: '' });
    assert.equal((await get(project, id)).html.length, 1024 * 1024);
  });

  test('rejects a name that the project already has, and accepts a name of another project', async () => {
    const [project, other] = [await newProject(), await newProject()];
    await create(project);
    assert.deepEqual(Object.keys(await refused(create(project), 'already-exists')), ['name']);
    await create(other);
  });

  test('rejects more than 32 MiB in total or 1,000 templates', async () => {
    const project = await newProject();
    const body = 'a'.repeat(2 * 1024 * 1024);
    for (let n = 0; n < 7; n++) await create(project, { name: `large ${n}`, html: body, text: body });
    await create(project, { name: 'large', html: body, text: '' });
    const fields = { name: 'too large', html: body, text: 'a' };
    assert.deepEqual(Object.keys(await refused(create(project, fields), 'plan-limit-exceeded')), ['name']);

    const crowded = await newProject();
    await api.db.database
      .insertInto('templates')
      .values(
        Array.from({ length: 999 }, (_, n) => ({
          projectId: crowded.id,
          id: newUuid(),
          name: `${n}`,
          subject: '',
          html: 'a',
          text: '',
          variables: [],
          createdAt: new Date(),
          updatedAt: new Date(),
        })),
      )
      .execute();
    const saved = await Promise.allSettled([1, 2, 3].map((n) => create(crowded, { name: `last ${n}` })));
    assert.equal(saved.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await list(crowded)).length, 1_000);
  });
});

describe('changing', () => {
  const update = (project: TestProject, id: string, changes: Partial<TemplateFields>) =>
    updateTemplate(api.db.database, project.id, id, changes);

  test('changes the given fields and updates the variables', async () => {
    const project = await newProject();
    const { id } = await create(project);
    const before = await get(project, id);
    const saved = await update(project, id, { html: '{{ first }}', text: '' });
    assert.deepEqual(saved, { id, name: 'welcome', variables: ['name', 'first'] });
    const { updated_at, ...after } = await get(project, id);
    assert.deepEqual(
      { ...after, updated_at: before.updated_at },
      { ...before, html: '{{ first }}', text: '', variables: ['name', 'first'] },
    );
    assert.ok(updated_at >= before.updated_at);
  });

  test('changes nothing if any field is invalid', async () => {
    const project = await newProject();
    const { id } = await create(project);
    await create(project, { name: 'taken' });
    const before = await get(project, id);
    await refused(update(project, id, { name: 'new', html: '{{' }), 'validation-failed');
    await refused(update(project, id, { html: '', text: '' }), 'validation-failed');
    await refused(update(project, id, { name: 'taken' }), 'already-exists');
    assert.deepEqual(await get(project, id), before);
  });

  test('reports templates of other projects as unknown', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await create(project);
    const before = await get(project, id);
    assert.equal(await update(other, id, { name: 'mine' }), null);
    assert.equal(await deleteTemplate(api.db.database, other.id, id), false);
    assert.deepEqual(await get(project, id), before);
  });

  test('deletes a template, and a second deletion returns null', async () => {
    const project = await newProject();
    const { id } = await create(project);
    assert.equal(await deleteTemplate(api.db.database, project.id, id), true);
    assert.equal(await deleteTemplate(api.db.database, project.id, id), false);
    assert.deepEqual(await list(project), []);
  });
});
