/** Saved subjects and bodies, read-only (docs/contract.md, Templates). */
import { Type } from 'typebox';
import { EXAMPLE_IDS, Id, Ref, Timestamp } from './schema.ts';

const templateExample = {
  id: EXAMPLE_IDS.tpl,
  name: 'order shipped',
  subject: 'Your order {{ order.id }} has shipped',
  html: '<p>Hello {{ name }}, it is on its way.</p>',
  text: 'Hello {{ name }}, it is on its way.',
  variables: ['order.id', 'name'],
  created_at: '2026-11-20T15:04:05.123Z',
  updated_at: '2026-11-20T15:04:05.123Z',
};

export const Template = Type.Object(
  {
    id: Id('tpl'),
    name: Type.String(),
    subject: Type.String({ description: 'A Liquid template.' }),
    html: Type.String({ description: 'A Liquid template; empty if there is none.' }),
    text: Type.String({ description: 'A Liquid template; empty if there is none.' }),
    variables: Type.Array(Type.String(), {
      description:
        'The variables of the subject, html and text, without duplicates, in order of first appearance. A dotted name such as order.id is one variable; loop variables are not listed.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Template', examples: [templateExample] },
);
export type Template = Type.Static<typeof Template>;

export const TemplateList = Type.Object(
  { data: Type.Array(Ref(Template), { description: 'Sorted by name.' }) },
  { $id: 'TemplateList', examples: [{ data: [templateExample] }] },
);
export type TemplateList = Type.Static<typeof TemplateList>;
