import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../../../test/support/eventually.ts';
import { HOSTED_DOMAIN } from '../../../../../test/support/api.ts';
import type {
  LastTemplateEmail,
  SavedTemplateDraft,
  SaveTemplate,
  TemplateDetail,
  TemplateSummaryList,
  TemplateTrial,
  TemplateVersion,
  TemplateVersionList,
} from '../../../../contract/dashboard/templates.ts';
import { decodeId } from '../../../../model/ids.ts';
import type { EmailDetail } from '../../../../contract/emails.ts';
import type { Problem } from '../../../../contract/problem.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const at = (path = '') => `/projects/${dashboard.projectId}/templates${path}`;
const developer = () => dashboard.as('developer');
let names = 0;
const fields = (given: Partial<SaveTemplate> = {}): SaveTemplate => ({
  name: `template ${++names}`,
  subject: 'Order {{ order.id }}',
  html: '<p>Hello {{ name }}</p>',
  text: '',
  ...given,
});

async function create(given: Partial<SaveTemplate> = {}): Promise<string> {
  const { status, body } = await developer().post<{ id: string }>(at(), fields(given));
  assert.equal(status, 201);
  return body.id;
}

const get = async (id: string, who = developer()) => (await who.get<TemplateDetail>(at(`/${id}`))).body;
const put = <Body>(path: string, body: object, who = developer()) =>
  who.request<Body>('PUT', at(path), { body });

test('a developer can create and delete a template, which all members see', async () => {
  const id = await create({ name: 'order shipped' });
  const list = await dashboard.as('viewer').get<TemplateSummaryList>(at());
  const found = list.body.data.find((template) => template.id === id);
  assert.deepEqual(
    [found?.name, found?.variables, found?.has_html, found?.has_text],
    ['order shipped', ['order.id', 'name'], true, false],
  );
  const { body } = await developer().post<Problem>(at(), fields({ name: 'order shipped' }));
  assert.deepEqual(Object.keys(body.errors ?? {}), ['name']);
  assert.equal((await developer().delete(at(`/${id}`))).status, 204);
  for (const path of ['', '/versions', '/preview'])
    assert.equal((await developer().get(at(`/${id}${path}`))).status, 404, path);
});

test('each save creates a version with its author, and the newest hundred versions are kept', async () => {
  const id = await create({ name: 'kept' });
  const save = (html: string) => put(`/${id}`, { ...fields({ name: 'kept' }), html });
  await save('<p>two</p>');
  await save('<p>two</p>');
  const { body } = await developer().get<TemplateVersionList>(at(`/${id}/versions`));
  assert.equal(body.data.length, 2);
  assert.deepEqual(
    body.data.map(({ actor_kind, actor_name }) => [actor_kind, actor_name]),
    [
      ['user', developer().email],
      ['user', developer().email],
    ],
  );
  const first = body.data[1];
  assert.ok(first !== undefined);
  const version = await dashboard.as('viewer').get<TemplateVersion>(at(`/${id}/versions/${first.id}`));
  assert.equal(version.body.html, '<p>Hello {{ name }}</p>');
  const other = await create();
  assert.equal((await developer().get(at(`/${other}/versions/${first.id}`))).status, 404);
  for (let n = 0; n < 101; n++) await save(`<p>${n}</p>`);
  const all = await developer().get<TemplateVersionList>(at(`/${id}/versions`));
  assert.equal(all.body.data.length, 100);
});

test('changes are stored as a draft that all members see, until it is published or discarded', async () => {
  const id = await create({ sample: '{"name":"Ada"}' });
  const saved = await get(id);
  assert.deepEqual([saved.draft, saved.trial.missing, saved.sample], [null, ['order.id'], '{"name":"Ada"}']);
  const draft = { subject: 'Hi {{ a', html: '<p>\n{{ b c }}</p>', text: 'x', sample: '[]' };
  const { body: trial } = await put<TemplateTrial>(`/${id}/draft`, draft);
  assert.match(trial.errors.subject ?? '', /^line 1, column 4: /);
  assert.match(trial.errors.html ?? '', /^line 2, column 6: /);
  assert.match(trial.errors.sample ?? '', /object/);
  assert.deepEqual(trial.filled, { subject: null, text: 'x' });
  assert.equal((await get(id)).draft?.html, draft.html);
  const shared = (await get(id, dashboard.as('viewer'))).draft;
  assert.deepEqual([shared?.html, shared?.actor_name], [draft.html, developer().email]);
  const { body: list } = await developer().get<TemplateSummaryList>(at());
  assert.equal(list.data.find((template) => template.id === id)?.has_draft, true);
  assert.equal((await dashboard.as('viewer').delete(at(`/${id}/draft`))).status, 403);
  assert.equal((await developer().delete(at(`/${id}/draft`))).status, 204);
  assert.equal((await get(id)).draft, null);
  await put(`/${id}/draft`, draft);
  const { body, status } = await put<Problem>(`/${id}`, { ...draft, name: saved.name });
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(body.errors ?? {}).sort(), ['html', 'sample', 'subject']);
  const draft_revision = (await get(id)).draft?.revision;
  const published = await put(`/${id}`, { ...fields({ name: saved.name }), draft_revision });
  assert.equal(published.status, 200);
  assert.equal((await get(id)).draft, null);
});

test('a change to a draft that another user has changed in the meantime is rejected, and so is publishing it', async () => {
  const id = await create();
  const { name } = await get(id);
  const draft = { subject: 'mine', html: '', text: 'x', sample: '{}' };
  const first = await put<SavedTemplateDraft>(`/${id}/draft`, { ...draft, revision: null });
  const { revision } = first.body;
  assert.match(revision ?? '', /^ver_/);
  // Repeats the request, as a client does whose response was lost.
  assert.equal(
    (await put<SavedTemplateDraft>(`/${id}/draft`, { ...draft, revision: null })).body.revision,
    revision,
  );
  const theirs = { ...draft, subject: 'theirs', revision };
  const second = await put<SavedTemplateDraft>(`/${id}/draft`, theirs, dashboard.as('admin'));
  assert.equal(second.status, 200);
  const rejected = await put<Problem>(`/${id}/draft`, { ...draft, subject: 'mine again', revision });
  assert.deepEqual(Object.keys(rejected.body.errors ?? {}), ['revision']);
  const published = await put<Problem>(`/${id}`, {
    ...fields({ name, html: 'y' }),
    draft_revision: revision,
  });
  assert.deepEqual(Object.keys(published.body.errors ?? {}), ['draft_revision']);
  assert.equal((await developer().delete(at(`/${id}/draft?revision=${revision}`))).status, 422);
  const { draft: found } = await get(id);
  assert.deepEqual([found?.subject, found?.actor_name], ['theirs', dashboard.as('admin').email]);
});

test('a draft with the content of the published template is no draft', async () => {
  const id = await create({ sample: '{}' });
  const { subject, html, text, sample } = await get(id);
  await put(`/${id}/draft`, { subject: 'new', html, text, sample });
  const { body } = await put<SavedTemplateDraft>(`/${id}/draft`, { subject, html, text, sample });
  assert.equal(body.revision, null);
  assert.equal((await get(id)).draft, null);
});

test('the drafts of a project have a limit', async () => {
  const draft = { subject: 'new', html: '', text: 'x', sample: '{}' };
  const [id, other] = [await create(), await create()];
  await put(`/${id}/draft`, draft);
  await sql`
    update template_shared_drafts set html = repeat('x', 32 * 1024 * 1024)
    where project_id = ${dashboard.project.id} and template_id = ${decodeId('tpl', id)}`.execute(
    dashboard.db.database,
  );
  const { status, body } = await put<Problem>(`/${other}/draft`, draft);
  assert.deepEqual([status, body.type], [422, '/errors/plan-limit-exceeded']);
  assert.equal((await get(other)).draft, null);
  await developer().delete(at(`/${id}/draft`));
});

test('a save based on an older version is rejected, and a save based on the newest version succeeds', async () => {
  const id = await create();
  const { name, updated_at: based_on } = await get(id);
  await put(`/${id}/draft`, { subject: 'mine', html: '', text: 'x', sample: '{}', based_on });
  const theirs = await put<TemplateDetail>(
    `/${id}`,
    { ...fields({ name, html: '<p>theirs</p>' }), based_on },
    dashboard.as('admin'),
  );
  assert.equal(theirs.status, 200);
  assert.equal((await get(id)).draft?.based_on, based_on);
  const mine = { ...fields({ name, html: '<p>mine</p>' }), based_on };
  const { status, body } = await put<Problem>(`/${id}`, mine);
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['based_on']]);
  assert.equal((await get(id)).html, '<p>theirs</p>');
  // Repeats the save, as a client does whose response was lost.
  const again = await put(`/${id}`, { ...mine, html: '<p>theirs</p>' });
  assert.equal(again.status, 200);
  const told = await put(`/${id}`, { ...mine, based_on: (await get(id)).updated_at });
  assert.equal(told.status, 200);
  assert.equal((await get(id)).html, '<p>mine</p>');
});

test('a draft that is changed while an older draft is being published stays, and nothing is published', async () => {
  const id = await create();
  const { name } = await get(id);
  const { database } = dashboard.db;
  let saving: ReturnType<typeof put> | undefined;
  await database.transaction().execute(async (tx) => {
    await sql`select from projects where id = ${dashboard.project.id} for no key update`.execute(tx);
    saving = put(`/${id}`, { ...fields({ name, html: '<p>sent</p>' }), draft_revision: null });
    const isWaiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        database,
      );
      return rows.length > 0;
    };
    assert.ok(await eventually(isWaiting, 30_000));
    const draft = { subject: '', html: '<p>sent, and more</p>', text: '', sample: '{}' };
    assert.equal((await put(`/${id}/draft`, draft)).status, 200);
  });
  assert.equal((await saving)?.status, 422);
  const { html, draft } = await get(id);
  assert.deepEqual([html, draft?.html], ['<p>Hello {{ name }}</p>', '<p>sent, and more</p>']);
});

test('the preview shows the filled-in template in a document without scripts', async () => {
  const id = await create();
  await put(`/${id}/draft`, {
    subject: '',
    html: '<p onclick="x()">{{ name }}<script>x()</script></p>',
    text: '',
    sample: '{"name":"<Ada>"}',
  });
  const { text, headers } = await developer().get(at(`/${id}/preview?of=1`));
  assert.match(text, /<p>&lt;Ada><\/p>|<p>&lt;Ada&gt;<\/p>/);
  assert.doesNotMatch(text, /script|onclick/);
  assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
});

for (const { broken, draft, error, filled, preview } of [
  {
    broken: 'HTML',
    draft: { subject: 'Hi {{ name }}', html: '<p>\n{{ b c }}</p>', text: 'Dear {{ name }}' },
    error: { html: /^line 2, column 6: / },
    filled: { subject: 'Hi Ada', text: 'Dear Ada' },
    preview: /html: line 2, column 6: /,
  },
  {
    broken: 'subject',
    draft: { subject: 'Hi {{ b c }}', html: '<p>Dear {{ name }}</p>', text: 'Dear {{ name }}' },
    error: { subject: /^line 1, column 9: / },
    filled: { subject: null, text: 'Dear Ada' },
    preview: /<p>Dear Ada<\/p>/,
  },
  {
    broken: 'data that the text outputs',
    draft: { subject: 'Hi {{ name }}', html: '<p>Dear {{ name }}</p>', text: 'x\n {{ order }}' },
    error: { text: /^line 2, column 2: an object cannot be output/ },
    filled: { subject: 'Hi Ada', text: null },
    preview: /<p>Dear Ada<\/p>/,
  },
])
  test(`an error in the ${broken} is reported at its part, and the other parts are previewed`, async () => {
    const id = await create();
    const sample = '{"name":"Ada","order":{"id":1}}';
    const { body: trial } = await put<TemplateTrial>(`/${id}/draft`, { ...draft, sample });
    assert.deepEqual(Object.keys(trial.errors), Object.keys(error));
    for (const [part, message] of Object.entries(error))
      assert.match(trial.errors[part as keyof typeof trial.errors] ?? '', message);
    assert.deepEqual(trial.filled, filled);
    assert.match((await developer().get(at(`/${id}/preview`))).text, preview);
  });

test('the draft is filled with the values of the last email for users who may see bodies, and nothing is stored', async () => {
  const id = await create({ sample: '{"name":"Sam"}' });
  const preview = at(`/${id}/preview?data=last-email`);
  const path = at(`/${id}/last-email`);
  assert.deepEqual((await developer().get<LastTemplateEmail>(path)).body, { email: null });
  assert.equal((await developer().get(preview)).status, 404);
  const variables = { name: '<Ada>', order: { id: 1 } };
  const sent = await dashboard.project.client.request<{ id: string }>('POST', '/v1/emails', {
    body: { from: `shop@${HOSTED_DOMAIN}`, to: ['b@dst.test', 'c@dst.test'], template_id: id, variables },
  });
  const last = async () => (await developer().get<LastTemplateEmail>(path)).body.email;
  assert.ok(await eventually(async () => (await last()) !== null, 30_000));
  const draft = { subject: 'Hi {{ name }}', html: '<p>{{ name }}</p>', text: '{{ order.url }}' };
  const sample = '{"name":"Eve"}';
  await put(`/${id}/draft`, { ...draft, sample });
  const { created_at, trial, ...email } = (await last()) ?? assert.fail();
  assert.ok(Math.abs(Date.now() - Date.parse(created_at)) < 60_000);
  assert.deepEqual(email, { id: sent.body.id, to: 'b@dst.test' });
  assert.deepEqual([trial.filled, trial.missing], [{ subject: 'Hi <Ada>', text: '' }, ['order.url']]);
  const allowed = await dashboard.newUser('viewer', { seesBodies: true });
  assert.equal((await allowed.get(path)).status, 200);
  assert.match((await allowed.get(preview)).text, /Ada/);
  assert.match((await allowed.get(at(`/${id}/preview?data=sample`))).text, /Eve/);
  const found = await get(id);
  assert.deepEqual([found.sample, found.draft?.sample], ['{"name":"Sam"}', sample]);
  const foreign = dashboard.as('other');
  for (const each of [path, preview]) {
    const refused = await dashboard.as('viewer').get<Problem>(each);
    assert.deepEqual([refused.status, refused.body.type], [403, '/errors/missing-role']);
    assert.equal((await foreign.get(each)).status, 404);
    const elsewhere = each.replace(dashboard.projectId, dashboard.foreignProjectId);
    assert.equal((await foreign.get(elsewhere)).status, 404);
  }
});

test('a test sends the unsaved content once as an email, and fails if a variable is missing', async () => {
  const id = await create({ sample: '{"name":"Ada","order":{"id":"1\\n2"}}' });
  const test = { from: `shop@${HOSTED_DOMAIN}`, to: 'b@dst.test', key: 'abcdefgh' };
  const sent = await developer().post<{ id: string }>(at(`/${id}/test`), test);
  assert.equal(sent.status, 202);
  const again = await developer().post<{ id: string }>(at(`/${id}/test`), test);
  assert.equal(again.body.id, sent.body.id);
  const { body } = await dashboard.project.client.get<EmailDetail>(`/v1/emails/${sent.body.id}`);
  assert.deepEqual(
    [body.subject, body.html, body.tags],
    ['Order 1 2', '<p>Hello Ada</p>', ['template-test']],
  );
  await put(`/${id}/draft`, { subject: '{{ z }}', html: '', text: 'x', sample: '{}' });
  const refused = await developer().post<Problem>(at(`/${id}/test`), { ...test, key: 'another-key' });
  assert.deepEqual(refused.body.errors, { variables: 'missing: z' });
});
