/** The directory as the dashboard shows and changes it (docs/directory.md). */
import { Type } from 'typebox';
import { CreatePerson, Person, PERSON_SOURCES, Share } from '../directory.ts';
import { Id, Nullable, Ref, Words } from '../schema.ts';

export const SearchPeopleQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'A part of the name, the address or the organization.' }),
    ),
    source: Type.Optional(Words(PERSON_SOURCES)),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    cursor: Type.Optional(
      Type.String({ maxLength: 1_024, description: 'The next_cursor of the previous page.' }),
    ),
  },
  { additionalProperties: false },
);
export type SearchPeopleQuery = Type.Static<typeof SearchPeopleQuery>;

export const FoundPeople = Type.Object(
  {
    data: Type.Array(Ref(Person), { description: 'Sorted by name.' }),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'FoundPeople', description: 'A page of the directory.' },
);
export type FoundPeople = Type.Static<typeof FoundPeople>;

const { name, email, title, organization, notes } = CreatePerson.properties;
const cleared = { description: 'An empty string removes the value.' };

export const ChangePerson = Type.Object(
  {
    name: Type.Optional(name),
    email: Type.Optional(email),
    title: Type.Optional(Type.Unsafe<string>({ ...title, ...cleared })),
    organization: Type.Optional(Type.Unsafe<string>({ ...organization, ...cleared })),
    notes: Type.Optional(Type.Unsafe<string>({ ...notes, ...cleared })),
  },
  { $id: 'ChangePerson', additionalProperties: false, description: 'Only the given fields are changed.' },
);
export type ChangePerson = Type.Static<typeof ChangePerson>;

export const Shares = Type.Object(
  {
    inbound: Type.Array(Ref(Share), { description: 'Directories that this project can see, oldest first.' }),
    outbound: Type.Array(Ref(Share), { description: 'Projects that can see the directory of this one.' }),
  },
  { $id: 'Shares' },
);
export type Shares = Type.Static<typeof Shares>;

export const CreateShare = Type.Object(
  {
    to: Type.String({
      description: 'The id of another project of the organization that the user belongs to.',
    }),
  },
  { $id: 'CreateShare', additionalProperties: false },
);

export const CreatedShare = Type.Object({ id: Id('shr') }, { $id: 'CreatedShare' });
