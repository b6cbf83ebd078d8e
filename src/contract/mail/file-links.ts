/** Files too large for mail, and the links to download them (docs/file-links.md). */
import { Type } from 'typebox';
import { FILE_LINK_STATES } from '../../model/file-link-states.ts';
import { FILE_SCANS } from '../../model/file-scans.ts';
import { Id, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';

const MAX_LINK_FILES = 100;
const MAX_LINK_PASSWORD_LENGTH = 200;
const MAX_LINK_DOWNLOADS = 1_000_000;

export const LinkedFile = Type.Object(
  {
    id: Id('fil'),
    name: Type.String(),
    type: Type.String(),
    octets: Type.Integer({ minimum: 0, description: 'The announced size.' }),
    received: Type.Integer({
      minimum: 0,
      description: 'The number of bytes stored so far. An upload continues from there.',
    }),
    is_whole: Type.Boolean(),
    scan: Nullable(
      Words(FILE_SCANS, {
        description: 'The result of the virus scan. Null: not scanned yet, or there is no scanner.',
      }),
    ),
  },
  { $id: 'LinkedFile' },
);
export type LinkedFile = Type.Static<typeof LinkedFile>;

const linkFields = {
  id: Id('lnk'),
  url: Secret(Type.String({ description: 'Anyone with this URL can download the files.' })),
  files: Type.Array(Ref(LinkedFile)),
  octets: Type.Integer({ minimum: 0, description: 'The total size of the files.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
  state: Words(FILE_LINK_STATES),
  has_password: Type.Boolean(),
  max_downloads: Nullable(Type.Integer({ minimum: 1 })),
  downloads: Type.Integer({ minimum: 0 }),
  downloaded_octets: Type.Integer({ minimum: 0 }),
  last_download_at: Nullable(Timestamp),
  subject: Nullable(
    Type.String({ description: 'The subject of the message that contains the link. Null: none.' }),
  ),
  is_for_draft: Type.Boolean({
    description: 'Whether it belongs to an unsent draft. The link is revoked if that draft is deleted.',
  }),
};

export const FileLink = Type.Object(linkFields, { $id: 'FileLink' });
export type FileLink = Type.Static<typeof FileLink>;

export const LinkDownload = Type.Object(
  {
    at: Timestamp,
    octets: Type.Integer({ minimum: 0 }),
    what: Words(['file', 'zip']),
    name: Nullable(Type.String({ description: 'The name of the file. Null: all files as a ZIP.' })),
  },
  { $id: 'LinkDownload' },
);
export type LinkDownload = Type.Static<typeof LinkDownload>;

export const FileLinkDetail = Type.Object(
  {
    ...linkFields,
    recent: Type.Array(Ref(LinkDownload), { description: 'The newest downloads, at most 100.' }),
  },
  { $id: 'FileLinkDetail' },
);
export type FileLinkDetail = Type.Static<typeof FileLinkDetail>;

export const FileLinkList = Type.Object(
  {
    data: Type.Array(Ref(FileLink), {
      description: 'Newest first, including those that ended in the last 30 days.',
    }),
    next: Nullable(Type.String({ description: 'The cursor of the next page. Null on the last page.' })),
    live_octets: Type.Integer({
      minimum: 0,
      description: 'The total size of all live links of the project.',
    }),
    allowance_octets: Type.Integer({
      minimum: 0,
      description: 'The total size that the plan allows at a time.',
    }),
  },
  { $id: 'FileLinkList' },
);
export type FileLinkList = Type.Static<typeof FileLinkList>;

const changeable = {
  expires_at: Type.Unsafe<string>({
    ...Timestamp,
    description: 'At most 90 days after the link was created. Default: 14 days.',
  }),
  password: Nullable(
    Type.String({ minLength: 1, maxLength: MAX_LINK_PASSWORD_LENGTH, description: 'Null: no password.' }),
  ),
  max_downloads: Nullable(
    Type.Integer({ minimum: 1, maximum: MAX_LINK_DOWNLOADS, description: 'Null: no limit.' }),
  ),
};

export const FileLinkQuery = Type.Object(
  { cursor: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
);

export const CreateFileLink = Type.Object(
  {
    files: Type.Array(Id('fil'), { minItems: 1, maxItems: MAX_LINK_FILES, uniqueItems: true }),
    draft: Type.Optional(
      Nullable(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{16,64}$',
          description:
            'The composer (client of a draft) that the link is for: it expires within a day unless a draft uses it. Null: the link is independent of drafts.',
        }),
      ),
    ),
    expires_at: Type.Optional(changeable.expires_at),
    password: Type.Optional(changeable.password),
    max_downloads: Type.Optional(changeable.max_downloads),
  },
  { $id: 'CreateFileLink', additionalProperties: false },
);
export type CreateFileLink = Type.Static<typeof CreateFileLink>;

export const ChangeFileLink = Type.Object(
  {
    expires_at: Type.Optional(changeable.expires_at),
    password: Type.Optional(changeable.password),
    max_downloads: Type.Optional(changeable.max_downloads),
  },
  { $id: 'ChangeFileLink', additionalProperties: false, minProperties: 1 },
);
export type ChangeFileLink = Type.Static<typeof ChangeFileLink>;
