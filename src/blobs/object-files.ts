import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ByteRange, ObjectName, ObjectStore } from './object-store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Objects as files that only their owner can read: `<root>/<project>/<the last two digits of the id>/<id>`. So each folder has only a 256th
 * of a project's objects.
 */
export class ObjectFiles implements ObjectStore {
  readonly #root: string;
  /** The folders that are known to be durable, including their names in their parents. They are never deleted. */
  readonly #durable = new Set<string>();

  /** @param root a folder, which is created if necessary */
  constructor(root: string) {
    this.#root = root;
  }

  async put(name: ObjectName, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(name);
    const folder = dirname(path);
    await this.#makeFolder(folder);
    const file = await open(path, 'wx', 0o600);
    try {
      // `file.writeFile` would be slower, because it returns to this thread after every 512 KiB.
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(folder);
  }

  async get(name: ObjectName, range?: ByteRange): Promise<Buffer | null> {
    try {
      return await (range === undefined
        ? readFile(this.#pathOf(name))
        : readRange(this.#pathOf(name), range));
    } catch (error) {
      return nullIfMissing(error);
    }
  }

  async delete(name: ObjectName): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  async *list(ofProject?: string): AsyncGenerator<ObjectName, void, undefined> {
    for (const projectId of ofProject === undefined ? await namesIn(this.#root) : [ofProject]) {
      if (!UUID.test(projectId)) continue;
      for (const shard of await namesIn(join(this.#root, projectId)))
        for (const id of await namesIn(join(this.#root, projectId, shard)))
          if (UUID.test(id) && shardOf(id) === shard) yield { projectId, id };
    }
  }

  #pathOf({ projectId, id }: ObjectName): string {
    if (!UUID.test(projectId) || !UUID.test(id)) throw new TypeError('an object name consists of two uuids');
    return join(this.#root, projectId, shardOf(id), id);
  }

  /**
   * Creates the folder and makes it durable. Syncs the names of existing parents too, because another process may have created them just
   * now and not synced them yet.
   */
  async #makeFolder(folder: string): Promise<void> {
    if (this.#durable.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const project = dirname(folder);
    for (const above of [project, this.#root, dirname(this.#root)]) await syncFolder(above);
    this.#durable.add(folder);
  }
}

function shardOf(id: string): string {
  return id.slice(-2);
}

async function readRange(path: string, { start, end }: ByteRange): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - start));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // There is a file where a folder would be. This program did not create it, so ignore it.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [];
    return nullIfMissing(error) ?? [];
  }
}

/** @returns null if the error says that the file is missing @throws any other error */
function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
