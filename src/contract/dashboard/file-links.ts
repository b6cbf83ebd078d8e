/** File links of all mailboxes in a project, as the dashboard shows them. */
import { Type } from 'typebox';
import { FILE_LINK_STATES } from '../../model/file-link-states.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

export const DashboardFileLink = Type.Object(
  {
    id: Id('lnk'),
    mailbox: Type.Object({ id: Id('mbx'), address: Type.String() }),
    files: Type.Integer({ minimum: 0, description: 'The number of files.' }),
    names: Nullable(
      Type.Array(Type.String(), { description: 'Null: the project hides file names (link_names).' }),
    ),
    octets: Type.Integer({ minimum: 0 }),
    created_at: Timestamp,
    expires_at: Timestamp,
    state: Words(FILE_LINK_STATES),
    downloads: Type.Integer({ minimum: 0 }),
    downloaded_octets: Type.Integer({ minimum: 0 }),
    last_download_at: Nullable(Timestamp),
  },
  { $id: 'DashboardFileLink' },
);
export type DashboardFileLink = Type.Static<typeof DashboardFileLink>;

export const DashboardFileLinkList = Type.Object(
  {
    data: Type.Array(Ref(DashboardFileLink), { description: 'Newest first.' }),
    next: Nullable(Type.String({ description: 'The cursor of the next page. Null on the last page.' })),
    live_octets: Type.Integer({ minimum: 0, description: 'The total size of all live files.' }),
    allowance_octets: Type.Integer({ description: 'The total size that the plan allows.' }),
    shows_names: Type.Boolean({ description: 'The setting `link_names` of the project.' }),
  },
  { $id: 'DashboardFileLinkList' },
);
export type DashboardFileLinkList = Type.Static<typeof DashboardFileLinkList>;

export const DashboardFileLinkQuery = Type.Object(
  { cursor: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
);
