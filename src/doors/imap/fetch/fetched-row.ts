import type { FlaggedMessage } from '../../../store/change-flags.ts';
import type { MessageField, MessageFields } from '../../../store/read-fields.ts';
import type { FetchedMessage } from './fetch-plan.ts';

const NONE: string[] = [];

/** A message in a page of `Store.fields`. The fields of the page must include flags, keywords and modseq. */
export class FetchedRow implements FetchedMessage {
  readonly uid: number;
  flags: number;
  keywords: string[];
  modseq: number;
  /** Whether this FETCH command changed the flags, by setting \Seen. */
  isChanged = false;
  readonly #values: readonly string[];
  readonly #at: number;
  readonly #columns: ReadonlyMap<MessageField, number>;

  /** @param at index of the first value of the row @param columns offset of each field from `at` */
  constructor(values: readonly string[], at: number, columns: ReadonlyMap<MessageField, number>) {
    this.#values = values;
    this.#at = at;
    this.#columns = columns;
    this.uid = Number(values[at]);
    this.flags = Number(this.field('flags'));
    const keywords = this.field('keywords');
    this.keywords = keywords === '' ? NONE : keywords.split(' ');
    this.modseq = Number(this.field('modseq'));
  }

  field(name: MessageField): string {
    return this.#values[this.#at + (this.#columns.get(name) ?? 0)] ?? '';
  }

  change({ flags, keywords, modseq }: FlaggedMessage): void {
    Object.assign(this, { flags, keywords, modseq, isChanged: true });
  }
}

export function rowsOfFields(
  { values, width }: MessageFields,
  fields: readonly MessageField[],
): FetchedRow[] {
  const columns = new Map(fields.map((field, at) => [field, at + 1]));
  return Array.from(
    { length: values.length / width },
    (_, index) => new FetchedRow(values, index * width, columns),
  );
}
