/** Files for large messages while they arrive. They have no name, so that nothing remains of them if the process is killed. */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { newUuid } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';

export class Spool {
  readonly #folder: string;
  readonly #logger: Pick<Logger, 'error'>;

  /** @param folder created if necessary. If it cannot be written, the system's folder for temporary files is used */
  constructor(folder: string, logger: Pick<Logger, 'error'>) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** @returns null if no file could be created; the error is logged */
  async create(): Promise<SpoolFile | null> {
    try {
      const file = await newFile(this.#folder).catch(() => newFile(tmpdir()));
      return new SpoolFile(file, (err) => this.#failed(err));
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  #failed(err: unknown): void {
    this.#logger.error({ err }, LOG_MESSAGES.spoolFailed);
  }
}

/** The file of one message. The methods must not be called at the same time. */
export class SpoolFile {
  readonly #file: FileHandle;
  readonly #onFailed: (error: unknown) => void;
  #octets = 0;

  constructor(file: FileHandle, onFailed: (error: unknown) => void) {
    this.#file = file;
    this.#onFailed = onFailed;
  }

  get octets(): number {
    return this.#octets;
  }

  /** @returns whether all octets were written, for example because the disk is not full */
  async append(octets: Buffer): Promise<boolean> {
    try {
      for (let at = 0; at < octets.length; ) {
        const { bytesWritten } = await this.#file.write(octets, at, octets.length - at, this.#octets);
        at += bytesWritten;
        this.#octets += bytesWritten;
      }
      return true;
    } catch (error) {
      this.#onFailed(error);
      return false;
    }
  }

  /** Reads the whole file into the beginning of `target`. @returns whether that succeeded */
  async readInto(target: Buffer): Promise<boolean> {
    try {
      for (let at = 0; at < this.#octets; ) {
        const { bytesRead } = await this.#file.read(target, at, this.#octets - at, at);
        if (bytesRead === 0) throw new Error('the file of a message is shorter than what was written to it');
        at += bytesRead;
      }
      return true;
    } catch (error) {
      this.#onFailed(error);
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#file.close().catch(this.#onFailed);
  }
}

async function newFile(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `posthorn-message-${newUuid()}`);
  const file = await open(path, 'wx+', 0o600);
  // The file exists until it is closed.
  await rm(path);
  return file;
}
