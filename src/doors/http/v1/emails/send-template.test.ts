import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  HOSTED_DOMAIN,
  type RealApi,
  startRealApi,
  type TestProject,
} from '../../../../../test/support/api.ts';
import type { EmailDetail, QueuedEmail } from '../../../../contract/emails.ts';
import type { Problem } from '../../../../contract/problem.ts';
import { encodeId } from '../../../../model/ids.ts';
import type { TemplateFields } from '../../../../templates/check-template.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '../../../../templates/save-template.ts';

let api: RealApi;
let project: TestProject;
before(async () => {
  api = await startRealApi();
  project = await api.newProject('templates', 'paid');
});
after(() => api[Symbol.asyncDispose]());

let names = 0;
async function newTemplate(fields: Partial<TemplateFields> = {}) {
  const { id } = await createTemplate(api.db.database, project.id, {
    name: `template ${++names}`,
    subject: 'Order {{ order.id }}',
    html: '<p>Hello {{ name }}</p>',
    text: 'Hello {{ name }}',
    ...fields,
  });
  return { id, templateId: encodeId('tpl', id) };
}

const VARIABLES = { name: 'Ada <ada>', order: { id: '47\r\nBcc: a@b.example' } };

type Answer = Pick<QueuedEmail, 'id'> & Pick<Problem, 'type' | 'errors'>;

function send(body: object, headers: Record<string, string> = {}, { client } = project) {
  const email = { from: `shop@${HOSTED_DOMAIN}`, to: ['ada@example.com'], ...body };
  return client.request<Answer>('POST', '/v1/emails', { body: email, headers });
}

async function refusal(body: object): Promise<Readonly<Record<string, string>>> {
  const { status, body: problem } = await send(body);
  assert.equal(status, 422);
  assert.equal(problem.type, '/errors/validation-failed');
  return problem.errors ?? {};
}

async function sent(body: object): Promise<EmailDetail> {
  const { status, body: queued } = await send(body);
  assert.equal(status, 202, JSON.stringify(queued));
  return (await project.client.get<EmailDetail>(`/v1/emails/${queued.id}`)).body;
}

describe('an email sent with a template', () => {
  test('has the filled-in content, and no variable can inject a header field', async () => {
    const { templateId } = await newTemplate();
    const { subject, html, text, template_id } = await sent({
      template_id: templateId,
      variables: VARIABLES,
    });
    assert.deepEqual(
      { subject, html, text, template_id },
      {
        subject: 'Order 47 Bcc: a@b.example',
        html: '<p>Hello Ada &lt;ada&gt;</p>',
        text: 'Hello Ada <ada>',
        template_id: templateId,
      },
    );
  });

  test('uses the last published version of the template', async () => {
    const { id, templateId } = await newTemplate();
    const body = { template_id: templateId, variables: VARIABLES };
    await sent(body);
    await updateTemplate(api.db.database, project.id, id, { text: 'Goodbye {{ name }}' });
    assert.equal((await sent(body)).text, 'Goodbye Ada <ada>');
    await deleteTemplate(api.db.database, project.id, id);
    assert.match((await refusal(body))['template_id'] ?? '', /not a template of this project/);
  });

  test('is accepted once per idempotency key, and can be replayed after the template is deleted', async () => {
    const { id, templateId } = await newTemplate();
    const key = { 'idempotency-key': 'template' };
    const body = { template_id: templateId, variables: VARIABLES };
    const first = await send(body, key);
    const other = await send({ ...body, variables: { ...VARIABLES, name: 'Bo' } }, key);
    assert.deepEqual([first.status, other.status], [202, 422]);
    await deleteTemplate(api.db.database, project.id, id);
    const again = await send(body, key);
    assert.deepEqual([again.status, again.body], [202, first.body]);
  });

  test('may have a variable with thousands of elements', async () => {
    const { templateId } = await newTemplate({
      text: '{% for row in rows %}{{ row.n }},{% endfor %}',
    });
    const rows = Array.from({ length: 2_000 }, (_, n) => ({ n }));
    const { text } = await sent({ template_id: templateId, variables: { ...VARIABLES, rows } });
    assert.equal(text, `${rows.map(({ n }) => n).join(',')},`);
  });
});

describe('sending with a template rejects', () => {
  test('missing variables, with an error for each variable', async () => {
    const { templateId } = await newTemplate();
    assert.deepEqual(await refusal({ template_id: templateId }), { variables: 'missing: order.id, name' });
    assert.deepEqual(await refusal({ template_id: templateId, variables: { name: 'Ada', order: {} } }), {
      variables: 'missing: order.id',
    });
  });

  test('a template of another project, with the error for an unknown template', async () => {
    const { templateId } = await newTemplate();
    const other = await api.newProject('another', 'paid');
    const answers = await Promise.all(
      [templateId, `tpl_${'0'.repeat(26)}`, 'welcome'].map((template_id) =>
        send({ template_id, variables: VARIABLES }, {}, other),
      ),
    );
    for (const { status, body } of answers) {
      assert.equal(status, 422);
      assert.deepEqual(body.errors, answers[0]?.body.errors);
      assert.deepEqual(Object.keys(body.errors ?? {}), ['template_id']);
    }
  });

  test('a template together with a body, and variables without a template', async () => {
    const { templateId: template_id } = await newTemplate();
    for (const field of ['subject', 'html', 'text'])
      assert.deepEqual(Object.keys(await refusal({ template_id, variables: VARIABLES, [field]: 'x' })), [
        field,
        'template_id',
      ]);
    assert.deepEqual(Object.keys(await refusal({ text: 'x', variables: {} })), ['variables']);
    assert.deepEqual(Object.keys(await refusal({ template_id, variables: [] })), ['variables']);
  });

  test('a template that takes too long, without delaying other requests', async () => {
    const loop = `${'{% for i in (1..1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`;
    const { templateId } = await newTemplate({ html: '', text: `{% if name %}${loop}{% endif %}` });
    const slow = refusal({ template_id: templateId, variables: VARIABLES });
    assert.equal((await send({ text: 'x' })).status, 202);
    assert.match(
      (await slow)['variables'] ?? '',
      /^text: line 1, column \d+: .*limit exceeded|becomes longer/,
    );
  });

  test('variables of more than a million characters', async () => {
    const { templateId: template_id } = await newTemplate();
    const { variables } = await refusal({ template_id, variables: { name: 'x'.repeat(1_100_000) } });
    assert.match(variables ?? '', /at most 1048576 characters/);
  });
});
