/** Files too large for mail, and the links to download them (docs/file-links.md). */
import { Type } from 'typebox';
import { FILE_LINK_STATES } from '../../model/file-link-states.ts';
import { FILE_SCANS } from '../../model/file-scans.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

const MAX_LINK_FILES = 100;
const MAX_LINK_PASSWORD_LENGTH = 200;
const MAX_LINK_DOWNLOADS = 1_000_000;

export const LinkedFile = Type.Object(
  {
    id: Id('fil'),
    name: Type.String(),
    type: Type.String(),
    octets: Type.Integer({ minimum: 0, description: 'As it was announced.' }),
    received: Type.Integer({ minimum: 0, description: 'What is kept of it: an upload goes on from there.' }),
    is_whole: Type.Boolean(),
    scan: Nullable(
      Words(FILE_SCANS, {
        description: 'What the virus scanner said. Null: it has not looked, or there is none.',
      }),
    ),
  },
  { $id: 'LinkedFile' },
);
export type LinkedFile = Type.Static<typeof LinkedFile>;

const linkFields = {
  id: Id('lnk'),
  url: Type.String({ description: 'Whoever has it downloads the files.' }),
  files: Type.Array(Ref(LinkedFile)),
  octets: Type.Integer({ minimum: 0, description: 'Of all files.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
  state: Words(FILE_LINK_STATES),
  has_password: Type.Boolean(),
  max_downloads: Nullable(Type.Integer({ minimum: 1 })),
  downloads: Type.Integer({ minimum: 0 }),
  downloaded_octets: Type.Integer({ minimum: 0 }),
  last_download_at: Nullable(Timestamp),
  subject: Nullable(Type.String({ description: 'Of the message that it went out with. Null: none did.' })),
  is_for_draft: Type.Boolean({
    description: 'It was made for a draft that is not sent, and is revoked when that is deleted.',
  }),
};

export const FileLink = Type.Object(linkFields, { $id: 'FileLink' });
export type FileLink = Type.Static<typeof FileLink>;

export const LinkDownload = Type.Object(
  {
    at: Timestamp,
    octets: Type.Integer({ minimum: 0 }),
    what: Words(['file', 'zip']),
    name: Nullable(Type.String({ description: 'Of the file. Null: all of them, as a ZIP.' })),
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
      description: 'The newest first, with those that ended within 30 days.',
    }),
    next: Nullable(Type.String({ description: 'The cursor of the next page. Null: this is the last one.' })),
    live_octets: Type.Integer({ minimum: 0, description: 'Of all links of the project that are live.' }),
    allowance_octets: Type.Integer({ minimum: 0, description: 'What its plan allows at a time.' }),
  },
  { $id: 'FileLinkList' },
);
export type FileLinkList = Type.Static<typeof FileLinkList>;

const changeable = {
  expires_at: Type.Unsafe<string>({
    ...Timestamp,
    description: 'At most 90 days after the link was made. By default after 14.',
  }),
  password: Nullable(
    Type.String({ minLength: 1, maxLength: MAX_LINK_PASSWORD_LENGTH, description: 'Null: none.' }),
  ),
  max_downloads: Nullable(
    Type.Integer({ minimum: 1, maximum: MAX_LINK_DOWNLOADS, description: 'Null: as many as people like.' }),
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
            'The composer (client of a draft) that it is made for: without a draft that has it, it ends within a day. Null: it stands for itself.',
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
