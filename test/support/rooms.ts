/** The table of rooms in docs/architecture.md, and the imports that it allows. */
import { dirname, join, normalize } from 'node:path';

/** Static and dynamic imports, including types. A file started as a thread is not imported. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.\.?\/[^'"]+)['"]/g;
const ROW = /^\| (`.*`) \| (.*) \|$/;
const NAME = /`([^`]+)`/g;
const ALL_ABOVE = 'all above';

/**
 * The rooms that each room may import. A room is a path below src, or one that begins with web or sdk. A file belongs to the room with the longest path
 * above it.
 */
export class Rooms {
  readonly #allowed = new Map<string, ReadonlySet<string>>();

  /**
   * @param table Markdown: each row has one or more rooms, and then `nothing`, rooms by name, or `all above` with or without `but` and rooms
   * @throws Error for any other row, and for a room without a row
   */
  constructor(table: string) {
    const rows = table.split('\n').flatMap((line) => {
      const [, rooms = '', allowed = ''] = ROW.exec(line) ?? [];
      return rooms === '' ? [] : [{ rooms: namesIn(rooms), allowed }];
    });
    const known = new Set(rows.flatMap(({ rooms }) => rooms));
    const above: string[] = [];
    for (const { rooms, allowed } of rows) {
      const named = namesIn(allowed);
      const isClear = allowed === 'nothing' || named.length > 0 || allowed === ALL_ABOVE;
      const unknown = named.find((name) => !known.has(name));
      if (!isClear || unknown !== undefined)
        throw new Error(`Cannot parse the table of rooms: ${unknown ?? allowed}`);
      const may = allowed.startsWith(ALL_ABOVE) ? above.filter((room) => !named.includes(room)) : named;
      for (const room of rooms) this.#allowed.set(room, new Set(may));
      above.push(...rooms);
    }
  }

  get names(): string[] {
    return [...this.#allowed.keys()];
  }

  /** @param path from the repository root */
  roomOf(path: string): string | null {
    const inSource = path.replace(/^src\//, '');
    for (let at = inSource; at !== '.'; at = dirname(at)) if (this.#allowed.has(at)) return at;
    return null;
  }

  /**
   * The imports that the table forbids, one per line: of another room, or of a file in no room.
   * @param path from the repository root
   * @param isOutside whether a file may be imported from everywhere, although it is in no room
   */
  violations(path: string, text: string, isOutside: (path: string) => boolean): string[] {
    const room = this.roomOf(path);
    if (room === null) return [`${path} is in no room`];
    return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
      const target = normalize(join(dirname(path), name));
      if (isOutside(target)) return [];
      const other = this.roomOf(target);
      if (other === room || (other !== null && this.#allowed.get(room)?.has(other) === true)) return [];
      return [`${path} imports ${target}: ${room} may not import ${other ?? 'files in no room'}`];
    });
  }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name = '']) => name);
}
