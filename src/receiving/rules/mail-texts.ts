/** The texts of a message that rules test, in normal form. Each text is read from the message when a rule first needs it. */
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import { normalForm } from '../../store/search/normal-form.ts';

/** The number of characters tested in each field. */
const MAX_FIELD = 4_000;

export type Facts = Pick<MessageFacts, 'from' | 'to' | 'cc' | 'subject' | 'header'>;

export interface MailFile {
  /** The decoded name. Empty if the address has no name. */
  name: string;
  type: string;
}

export class MailTexts {
  readonly #facts: Facts;
  readonly #files: readonly MailFile[];
  readonly #known = new Map<string, readonly string[]>();
  #fields: Map<string, string[]> | null = null;

  constructor(facts: Facts, files: readonly MailFile[]) {
    this.#facts = facts;
    this.#files = files;
  }

  /** Whether the mail has a header field that mailing lists and similar senders add (RFC 2369, RFC 2919). */
  get hasListField(): boolean {
    return [...this.#all().keys()].some((name) => name.startsWith('list-'));
  }

  of(on: 'from' | 'to' | 'subject' | 'list' | 'file'): readonly string[] {
    let texts = this.#known.get(on);
    if (texts === undefined) {
      texts = this.#read(on);
      this.#known.set(on, texts);
    }
    return texts;
  }

  /** The values of all fields with this name. @param name in lower case */
  header(name: string): readonly string[] {
    return this.#all().get(name) ?? [];
  }

  #all(): Map<string, string[]> {
    return (this.#fields ??= fieldsOf(this.#facts.header));
  }

  #read(on: 'from' | 'to' | 'subject' | 'list' | 'file'): readonly string[] {
    const { from, to, cc, subject } = this.#facts;
    const namesOf = (people: Facts['from']) =>
      people.flatMap(({ name, address }) => [normalForm(address).trim(), normalForm(name).trim()]);
    switch (on) {
      case 'from':
        return namesOf(from);
      case 'to':
        return namesOf([...to, ...cc]);
      case 'subject':
        return [normalForm(subject).trim()];
      case 'list':
        return this.header('list-id').flatMap((value) => [value, /<([^<>]*)>[^<>]*$/.exec(value)?.[1] ?? '']);
      case 'file':
        return this.#files.flatMap(({ name, type }) => [normalForm(name).trim(), type]);
    }
  }
}

/** The fields of the message itself. Fields of its parts follow an empty line (`headerText`). */
function fieldsOf(header: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const end = header.indexOf('\n\n');
  for (const line of header.slice(0, end === -1 ? header.length : end).split('\n')) {
    const colon = line.indexOf(': ');
    if (colon === -1) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2, colon + 2 + MAX_FIELD).trim();
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}
