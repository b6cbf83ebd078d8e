/** Suggestions of recipients, from the first letters on. */
import { Type } from 'typebox';
import { Nullable, Ref, Words } from '../schema.ts';

export const AddressQuery = Type.Object(
  {
    q: Type.String({
      maxLength: 100,
      description: 'How a word of the name or of the address begins. Empty: those that are written to most.',
    }),
  },
  { additionalProperties: false },
);
export type AddressQuery = Type.Static<typeof AddressQuery>;

export const KnownAddress = Type.Object(
  {
    name: Nullable(Type.String()),
    address: Type.String(),
    source: Words(['written', 'directory'], {
      description: 'Whether the mailbox wrote to it before, or it stands in the directory of the project.',
    }),
  },
  { $id: 'KnownAddress' },
);

export const KnownAddresses = Type.Object(
  { data: Type.Array(Ref(KnownAddress), { description: 'The likeliest first, at most ten.' }) },
  { $id: 'KnownAddresses' },
);
export type KnownAddresses = Type.Static<typeof KnownAddresses>;
