/** Aliases as the dashboard shows them. */
import { Type } from 'typebox';
import { Alias } from '../aliases.ts';
import { Id, Ref } from '../schema.ts';

const { mailbox_ids: _mailboxIds, ...shown } = Alias.properties;

export const DashboardAlias = Type.Object(
  {
    ...shown,
    mailboxes: Type.Array(Type.Object({ id: Id('mbx'), address: Type.String() }), {
      description: 'The mailboxes that the alias delivers to, oldest first.',
    }),
  },
  { $id: 'DashboardAlias' },
);
export type DashboardAlias = Type.Static<typeof DashboardAlias>;

export const DashboardAliasList = Type.Object(
  { data: Type.Array(Ref(DashboardAlias), { description: 'Sorted by domain and address.' }) },
  { $id: 'DashboardAliasList' },
);
export type DashboardAliasList = Type.Static<typeof DashboardAliasList>;
