/** The table of rooms in docs/architecture.md, and which imports it allows. */
import { dirname, join, normalize } from 'node:path';

/** Static and dynamic imports, of types too. A file that a thread starts is not imported. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.\.?\/[^'"]+)['"]/g;
const ROW = /^\| (`.*`) \| (.*) \|$/;
const NAME = /`([^`]+)`/g;
const ALL_ABOVE = 'all above';

/**
 * Which rooms each room may import. A room is a path below src, or one that begins with web or sdk; a file belongs to the room with the
 * longest path that it is below.
 */
export class Rooms {
  readonly #allowed = new Map<string, ReadonlySet<string>>();

  /**
   * @param table Markdown: a row has one or more rooms, then `nothing`, rooms by name, or `all above` with or without `but` and rooms
   * @throws Error for a row that says something else, or names a room that has no row
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
      if (!isClear || unknown !== undefined) throw new Error(`not understood: ${unknown ?? allowed}`);
      const may = allowed.startsWith(ALL_ABOVE) ? above.filter((room) => !named.includes(room)) : named;
      for (const room of rooms) this.#allowed.set(room, new Set(may));
      above.push(...rooms);
    }
  }

  get names(): string[] {
    return [...this.#allowed.keys()];
  }

  /** @param path from the root of the repository */
  roomOf(path: string): string | null {
    const place = path.replace(/^src\//, '');
    for (let at = place; at !== '.'; at = dirname(at)) if (this.#allowed.has(at)) return at;
    return null;
  }

  /**
   * What the table forbids, a line each: an import of another room, and one of a file that is in none.
   * @param path from the root of the repository
   * @param isOutside whether a file may be imported from everywhere, though it is in no room
   */
  violations(path: string, text: string, isOutside: (path: string) => boolean): string[] {
    const room = this.roomOf(path);
    if (room === null) return [`${path} is in no room`];
    return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
      const target = normalize(join(dirname(path), name));
      if (isOutside(target)) return [];
      const other = this.roomOf(target);
      if (other === room || (other !== null && this.#allowed.get(room)?.has(other) === true)) return [];
      return [`${path} imports ${target}: ${room} may not import ${other ?? 'what is in no room'}`];
    });
  }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name = '']) => name);
}
