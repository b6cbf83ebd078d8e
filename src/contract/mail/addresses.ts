/** Suggests recipients by the first letters of a name or an address. */
import { Type } from 'typebox';
import { Nullable, Ref, Words } from '../schema.ts';

export const AddressQuery = Type.Object(
  {
    q: Type.String({
      maxLength: 100,
      description: 'The beginning of a word of the name or address. Empty: the most used addresses.',
    }),
  },
  { additionalProperties: false },
);
export type AddressQuery = Type.Static<typeof AddressQuery>;

export const KnownAddress = Type.Object(
  {
    name: Nullable(Type.String()),
    address: Type.String(),
    source: Words(['contact', 'written', 'received', 'directory'], {
      description:
        "A saved contact, an address that the mailbox has written to or received mail from, or an entry of the project's directory.",
    }),
  },
  { $id: 'KnownAddress' },
);

export const KnownAddresses = Type.Object(
  { data: Type.Array(Ref(KnownAddress), { description: 'Most likely first, at most ten.' }) },
  { $id: 'KnownAddresses' },
);
export type KnownAddresses = Type.Static<typeof KnownAddresses>;
