import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTED_DOMAIN } from '../../../../../test/support/api.ts';
import { newProject } from '../../../../../test/support/projects.ts';
import type {
  TemplatePieceDetail,
  TemplatePieceList,
} from '../../../../contract/dashboard/template-pieces.ts';
import type { TemplateDetail, TemplateVersionList } from '../../../../contract/dashboard/templates.ts';
import type { EmailDetail } from '../../../../contract/emails.ts';
import type { Problem } from '../../../../contract/problem.ts';
import type { Template } from '../../../../contract/templates.ts';
import { updateTemplate } from '../../../../templates/save-template.ts';
import { decodeId, newUuid } from '../../../../model/ids.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const at = (path = '') => `/projects/${dashboard.projectId}/template-pieces${path}`;
const developer = () => dashboard.as('developer');
let names = 0;

async function createPiece(
  kind: 'layout' | 'partial',
  html: string,
  text = '',
): Promise<{ id: string; name: string }> {
  const name = `${kind} ${++names}`;
  const { status, body } = await developer().post<{ id: string }>(at(), { kind, name, html, text });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, name };
}

async function createTemplate(given: object): Promise<string> {
  const { status, body } = await developer().post<{ id: string }>(
    `/projects/${dashboard.projectId}/templates`,
    {
      name: `template ${++names}`,
      subject: 'Hello',
      html: '',
      text: '',
      ...given,
    },
  );
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

const detailOf = async (id: string) =>
  (await developer().get<TemplateDetail>(`/projects/${dashboard.projectId}/templates/${id}`)).body;
const publishedOf = async (id: string) =>
  (await dashboard.project.client.get<Template>(`/v1/templates/${id}`)).body;

async function publish(id: string, given: object) {
  const { body } = await developer().get<TemplatePieceDetail>(at(`/${id}`));
  const { name, html, text, updated_at: based_on } = body;
  return developer().request<TemplatePieceDetail & Problem>('PUT', at(`/${id}`), {
    body: { name, html, text, based_on, ...given },
  });
}

async function sentHtml(templateId: string, variables: object = {}): Promise<string | null> {
  const { client } = dashboard.project;
  const { body } = await client.post<{ id: string }>('/v1/emails', {
    from: `shop@${HOSTED_DOMAIN}`,
    to: ['b@dst.test'],
    template_id: templateId,
    variables,
  });
  return (await client.get<EmailDetail>(`/v1/emails/${body.id}`)).body.html;
}

test('an email has the layout and partials of its template, as they were last published', async () => {
  const footer = await createPiece('partial', '<hr>{{ company }}', '-- {{ company }}');
  const main = await createPiece('layout', `<main>{% content %}</main>{% include "${footer.name}" %}`);
  const id = await createTemplate({
    html: '<p>{{ name }}</p>',
    layout_id: main.id,
    sample: '{"name":"Ada","company":"A & B","phone":"1"}',
  });
  const variables = { name: '<Ada>', company: 'A & B', phone: '12' };
  assert.equal(await sentHtml(id, variables), '<main><p>&lt;Ada&gt;</p></main><hr>A &amp; B');
  assert.deepEqual((await publishedOf(id)).variables, ['name', 'company']);
  const saved = await detailOf(id);
  assert.deepEqual([saved.html, saved.layout_id], ['<p>{{ name }}</p>', main.id]);
  const changed = await publish(footer.id, { html: '<hr>{{ phone }}' });
  assert.deepEqual([changed.status, changed.body.templates.map((each) => each.id)], [200, [id]]);
  assert.equal(await sentHtml(id, variables), '<main><p>&lt;Ada&gt;</p></main><hr>12');
  // The template itself has not changed, so a draft of it is not outdated.
  assert.equal((await detailOf(id)).updated_at, saved.updated_at);
});

test('a change on the command line keeps the layout', async () => {
  const main = await createPiece('layout', '<main>{% content %}</main>');
  const id = await createTemplate({ html: '<p>one</p>', layout_id: main.id });
  const uuid = decodeId('tpl', id) ?? '';
  await updateTemplate(dashboard.db.database, dashboard.project.id, uuid, { html: '<p>two</p>' });
  assert.equal((await publishedOf(id)).html, '<main><p>two</p></main>');
});

test('a template that a previous version of the service has changed is taken as it is', async () => {
  const main = await createPiece('layout', '<main>{% content %}</main>');
  const id = await createTemplate({ html: '<p>one</p>', layout_id: main.id });
  const changes = { html: '<main><p>two</p></main>', updatedAt: new Date() };
  await dashboard.db.database
    .updateTable('templates')
    .set(changes)
    .where('projectId', '=', dashboard.project.id)
    .where('id', '=', decodeId('tpl', id) ?? '')
    .execute();
  const { html, layout_id } = await detailOf(id);
  assert.deepEqual([html, layout_id], [changes.html, null]);
  assert.equal((await publish(main.id, { html: '<div>{% content %}</div>' })).status, 200);
  assert.equal((await publishedOf(id)).html, changes.html);
  // The template no longer uses the layout.
  assert.equal((await developer().delete(at(`/${main.id}`))).status, 204);
});

test('a previous version of the service, which does not know layouts, deletes a project with a layout', async () => {
  const { database } = dashboard.db;
  const projectId = await newProject(database);
  const fields = { kind: 'layout', name: 'main', html: '{% content %}', text: '' } as const;
  const now = new Date();
  await database
    .insertInto('templatePieces')
    .values({ projectId, id: newUuid(), ...fields, createdAt: now, updatedAt: now })
    .execute();
  await database.deleteFrom('projects').where('id', '=', projectId).execute();
});

test('a template that is published and deleted at the same time is deleted', async () => {
  for (let n = 1; n <= 10; n++) {
    const id = await createTemplate({ name: 'short-lived', html: 'x' });
    const path = `/projects/${dashboard.projectId}/templates/${id}`;
    const [published, deleted] = await Promise.all([
      developer().request('PUT', path, {
        body: { name: 'short-lived', subject: 's', html: `${n}`, text: '' },
      }),
      developer().delete(path),
    ]);
    assert.ok([200, 404].includes(published.status), `${published.status}`);
    assert.equal(deleted.status, 204);
  }
});

test('a piece is not published if a template or a layout would no longer work, and the error names them', async () => {
  const footer = await createPiece('partial', '<hr>');
  const include = `{% include "${footer.name}" %}`;
  const id = await createTemplate({ name: 'order shipped', html: include });
  await createPiece('layout', `{% content %}${include}`);
  for (const [given, error] of [
    [{ html: '{{ company }}' }, /order shipped \(missing: company\)/],
    [{ name: 'renamed' }, /the layout layout \d+ \(html: .*no partial.*; order shipped \(html: .*no partial/],
    [{ html: '{{ "x" | date: "%Y" | times: 1 }}{% for i in (1..99999999) %}{% endfor %}' }, /order shipped/],
  ] as const) {
    const { status, body } = await publish(footer.id, given);
    assert.equal(status, 422);
    assert.match(body.errors?.['templates'] ?? '', error);
  }
  assert.equal((await publishedOf(id)).html, '<hr>');
});

test('a piece that is in use is not deleted, and the error names the templates and layouts', async () => {
  const footer = await createPiece('partial', '<hr>');
  const include = `{% include "${footer.name}" %}`;
  const id = await createTemplate({ name: 'in use', html: include });
  const layout = await createPiece('layout', `{% content %}${include}`);
  const refused = await developer().request<Problem>('DELETE', at(`/${footer.id}`), {});
  assert.equal(refused.status, 422);
  assert.match(refused.body.errors?.['templates'] ?? '', /^used by in use, the layout layout \d+; /);
  await developer().delete(`/projects/${dashboard.projectId}/templates/${id}`);
  assert.equal((await developer().delete(at(`/${footer.id}`))).status, 422);
  assert.equal((await developer().delete(at(`/${layout.id}`))).status, 204);
  assert.equal((await developer().delete(at(`/${footer.id}`))).status, 204);
  assert.equal((await developer().get(at(`/${footer.id}`))).status, 404);
});

test('a piece and a template that uses it are published at the same time, and the template has the last piece', async () => {
  const footer = await createPiece('partial', '0');
  const html = `{% include "${footer.name}" %}`;
  const id = await createTemplate({ name: 'at once', html });
  const path = `/projects/${dashboard.projectId}/templates/${id}`;
  for (let n = 1; n <= 10; n++) {
    const [piece, template] = await Promise.all([
      publish(footer.id, { html: `${n}` }),
      developer().request('PUT', path, {
        body: { name: 'at once', subject: `s${n}`, html: `${n} ${html}`, text: '' },
      }),
    ]);
    assert.deepEqual([piece.status, template.status], [200, 200]);
    assert.equal((await publishedOf(id)).html, `${n} ${n}`);
  }
});

test('an update that is based on an older version is rejected', async () => {
  const footer = await createPiece('partial', 'a');
  const { body } = await developer().get<TemplatePieceDetail>(at(`/${footer.id}`));
  assert.equal((await publish(footer.id, { html: 'b' })).status, 200);
  const late = await publish(footer.id, { html: 'c', based_on: body.updated_at });
  assert.deepEqual([late.status, Object.keys(late.body.errors ?? {})], [422, ['based_on']]);
  assert.equal((await publish(footer.id, { html: 'b', based_on: body.updated_at })).status, 200);
});

test('a name is used once for each kind, and a project has at most 50 layouts and partials', async () => {
  const { name } = await createPiece('partial', 'a');
  const again = await developer().post<Problem>(at(), { kind: 'partial', name, html: 'b', text: '' });
  assert.deepEqual([again.status, Object.keys(again.body.errors ?? {})], [422, ['name']]);
  const { body } = await developer().get<TemplatePieceList>(at());
  const added: string[] = [];
  for (let count = body.data.length; count < 50; count++) added.push((await createPiece('partial', 'a')).id);
  const more = await developer().post(at(), { kind: 'partial', name: 'one more', html: 'a', text: '' });
  assert.equal(more.status, 422);
  for (const id of added) await developer().delete(at(`/${id}`));
});

test('viewers read layouts and partials and change none, and other projects do not see them', async () => {
  const footer = await createPiece('partial', 'a');
  const viewer = dashboard.as('viewer');
  assert.equal((await viewer.get(at(`/${footer.id}`))).status, 200);
  assert.equal((await viewer.post(at(), { kind: 'partial', name: 'b', html: 'b', text: '' })).status, 403);
  assert.equal((await viewer.delete(at(`/${footer.id}`))).status, 403);
  const unknown = await developer().post<Problem>(`/projects/${dashboard.projectId}/templates`, {
    name: 'of another project',
    subject: '',
    html: 'x',
    text: '',
    layout_id: 'pce_01KAGK5RB3E2YQ4T7N9PZ6WX8V',
  });
  assert.deepEqual([unknown.status, Object.keys(unknown.body.errors ?? {})], [422, ['html']]);
});

test('the history has the layout of each version, and the audit log has no bodies of pieces', async () => {
  const main = await createPiece('layout', '<main>{% content %}</main>');
  const id = await createTemplate({ name: 'with a layout', html: 'x' });
  const path = `/projects/${dashboard.projectId}/templates/${id}`;
  await developer().request('PUT', path, {
    body: { name: 'with a layout', subject: 'Hello', html: 'x', text: '', layout_id: main.id },
  });
  const { body } = await developer().get<TemplateVersionList>(`${path}/versions`);
  const layouts = await Promise.all(
    body.data.map(async (version) => {
      const found = await developer().get<{ layout_id: string | null }>(`${path}/versions/${version.id}`);
      return found.body.layout_id;
    }),
  );
  assert.deepEqual(layouts, [main.id, null]);
  const lines = await dashboard.db.database
    .selectFrom('auditLog')
    .select(['action', 'before', 'after'])
    .where('target', '=', main.id)
    .execute();
  assert.deepEqual(lines, [{ action: 'template-layout.create', before: null, after: { name: main.name } }]);
});
