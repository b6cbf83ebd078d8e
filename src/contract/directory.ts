/** The address book of a project (docs/contract.md, Directory). */
import { Type } from 'typebox';
import {
  EXAMPLE_IDS,
  Id,
  MAX_ADDRESS_LENGTH,
  Nullable,
  PrivateContent,
  Ref,
  Timestamp,
  Words,
} from './schema.ts';

const MAX_NAME_LENGTH = 200;
const MAX_NOTES_LENGTH = 2_000;

export const PERSON_SOURCES = ['manual', 'mailbox', 'shared'] as const;

export const CreatePerson = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'A single line.' }),
    email: Type.String({
      minLength: 1,
      maxLength: MAX_ADDRESS_LENGTH,
      description:
        'A bare email address, local@domain. Must be unique among the people added manually to this project.',
    }),
    title: Type.Optional(Type.String({ maxLength: MAX_NAME_LENGTH })),
    organization: Type.Optional(Type.String({ maxLength: MAX_NAME_LENGTH })),
    notes: Type.Optional(PrivateContent(Type.String({ maxLength: MAX_NOTES_LENGTH }))),
  },
  {
    $id: 'CreatePerson',
    additionalProperties: false,
    examples: [{ name: 'Ada Lovelace', email: 'ada@acme.example', title: 'Analyst', organization: 'Acme' }],
  },
);
export type CreatePerson = Type.Static<typeof CreatePerson>;

const PROJECT_ID = 'prj_01KAGK5RB2A1S3D5F7G9H0J2KM';
const CREATED_AT = '2026-11-20T15:04:05.123Z';

const personExample = {
  id: EXAMPLE_IDS.per,
  name: 'Ada Lovelace',
  email: 'ada@acme.example',
  title: 'Analyst',
  organization: 'Acme',
  notes: null,
  source: 'manual',
  project_id: PROJECT_ID,
  created_at: CREATED_AT,
};

export const Person = Type.Object(
  {
    id: Id('per'),
    name: Type.String(),
    email: Type.String({ description: 'As provided.' }),
    title: Nullable(Type.String()),
    organization: Nullable(Type.String()),
    notes: Nullable(Type.String()),
    source: Words(PERSON_SOURCES, {
      description:
        'manual: added to this project manually. mailbox: synced from a mailbox of this project, and cannot be removed here. shared: belongs to another project that shares its directory with this one.',
    }),
    project_id: Type.String({
      ...Id('prj'),
      description: 'The project that the person belongs to. If source is shared, it is another project.',
    }),
    created_at: Timestamp,
  },
  { $id: 'Person', examples: [personExample] },
);
export type Person = Type.Static<typeof Person>;

const shareExample = {
  id: 'shr_01KAGK5RB4F8M2C6H0S3D5J7KR',
  project_id: 'prj_01KAGK5RB7N9P1Q3R5S7T9V1WX',
  project_name: 'newsletter',
  people_count: 12,
  created_at: CREATED_AT,
};

export const Share = Type.Object(
  {
    id: Id('shr'),
    project_id: Type.String({
      ...Id('prj'),
      description:
        'The other project: the one that shares its directory (inbound), or the one that can see it (outbound).',
    }),
    project_name: Type.String({ description: 'The name of that project.' }),
    people_count: Type.Integer({
      minimum: 0,
      description:
        'The number of people shared. People that other projects share with the sharing project are not included.',
    }),
    created_at: Timestamp,
  },
  { $id: 'Share', examples: [shareExample] },
);
export type Share = Type.Static<typeof Share>;

export const DirectoryList = Type.Object(
  {
    people: Type.Array(Ref(Person), {
      description: 'The people of this project and those shared with it, sorted by name.',
    }),
    shares: Type.Object(
      {
        inbound: Type.Array(Ref(Share), {
          description: 'Directories shared with this project, oldest first.',
        }),
        outbound: Type.Array(Ref(Share), {
          description: 'Projects that can see the directory of this one, oldest first.',
        }),
      },
      {
        description:
          'Shares are created in the dashboard or on the command line, between two projects of one organization.',
      },
    ),
  },
  {
    $id: 'DirectoryList',
    examples: [{ people: [personExample], shares: { inbound: [shareExample], outbound: [] } }],
  },
);
export type DirectoryList = Type.Static<typeof DirectoryList>;
