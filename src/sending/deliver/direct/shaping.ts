/** The shaping table: the limits for each destination. The operator's file is reloaded when it changes. */
import { open, readFile, stat } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { StartupError } from '../../../model/startup-error.ts';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import {
  type FileRule,
  type ShapingLimits,
  parseShapingFile,
  type ShapingFile,
  type ShapingRule,
} from './shaping-file.ts';

export interface ShapingOptions {
  /** The absolute path of the operator's file. Null: only the built-in table is used. */
  file: string | null;
  logger: Pick<Logger, 'info' | 'error'>;
  /** How often the file is checked for changes. Default: 1 second. */
  pollMs?: number;
}

const BUILT_IN = fileURLToPath(new URL('shaping.yaml', import.meta.url));
const POLL_MS = 1_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_REMEMBERED = 10_000;

export class Shaping {
  readonly #logger: ShapingOptions['logger'];
  readonly #builtIn: RuleIndex;
  /** The operator's rules, which take precedence over the built-in rules. */
  #own: RuleIndex;
  readonly #timer: NodeJS.Timeout | null;
  /** The version of the operator's file at the last check, as `versionOf` returns it. */
  #seen: string;
  /** The content of the operator's file that was read last, valid or not. */
  #lastText: string;
  /** Cached rules, because every message needs one. */
  readonly #remembered = new BoundedMap<string, ShapingRule>(MAX_REMEMBERED);
  #checking = false;

  private constructor(
    { file, logger, pollMs = POLL_MS }: ShapingOptions,
    builtIn: ShapingFile,
    own: OwnFile | null,
  ) {
    this.#logger = logger;
    this.#builtIn = new RuleIndex(builtIn);
    this.#own = new RuleIndex(own?.file ?? null);
    this.#seen = this.#lastText = own?.version ?? '';
    this.#timer = file === null ? null : setInterval(() => this.#check(file), pollMs).unref();
  }

  /** @throws StartupError if the operator's file cannot be read or is invalid */
  static async open(options: ShapingOptions): Promise<Shaping> {
    const builtIn = parseShapingFile(await readFile(BUILT_IN, 'utf8'), 'shaping.yaml');
    return new Shaping(options, builtIn, options.file === null ? null : await readOwn(options.file));
  }

  /**
   * The current rule for a destination.
   * @param destination a domain in A-labels and lower case, or an address literal
   * @param mxHosts the MX hosts in lower case, most preferred first
   */
  ruleFor(destination: string, mxHosts: readonly string[]): ShapingRule {
    const key = `${destination} ${mxHosts.join(' ')}`;
    let rule = this.#remembered.get(key);
    if (rule === undefined) {
      const own = this.#own.find(destination, mxHosts);
      const builtIn = this.#builtIn.find(destination, mxHosts);
      rule = {
        // The default of the built-in table sets every limit.
        ...(this.#builtIn.default as ShapingLimits),
        ...this.#own.default,
        ...builtIn?.limits,
        ...own?.limits,
        name: own?.name ?? builtIn?.name ?? null,
      };
      this.#remembered.set(key, rule);
    }
    return rule;
  }

  /** Stops checking the file. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #check(path: string): void {
    if (this.#checking) return;
    this.#checking = true;
    void this.#readIfChanged(path).finally(() => (this.#checking = false));
  }

  /** Reloads the operator's file if it has changed. Never rejects. */
  async #readIfChanged(path: string): Promise<void> {
    const version = await versionAt(path);
    // A file whose version changed since the previous check may still be being written.
    const isSettled = version === this.#seen;
    this.#seen = version;
    if (!isSettled || version === this.#lastText) return;
    this.#lastText = version;
    try {
      const own = await readOwn(path);
      this.#lastText = own.version;
      this.#own = new RuleIndex(own.file);
      this.#remembered.clear();
      this.#logger.info({ file: path }, LOG_MESSAGES.shapingRead);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#logger.error({ reason: why }, LOG_MESSAGES.shapingUnusable);
    }
  }
}

/** A version text that changes if the file's content changes or another file replaces it. */
function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

async function versionAt(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(versionOf, (error: unknown) => String(error));
}

interface OwnFile {
  version: string;
  file: ShapingFile;
}

/** @throws StartupError */
async function readOwn(path: string): Promise<OwnFile> {
  const { version, text } = await readWithVersion(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(`${path} cannot be read${code === undefined ? '' : ` (${code})`}`);
  });
  if (text === null) throw new StartupError(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
  return { version, file: parseShapingFile(text, path) };
}

/** The version is determined before the content is read, so that a write during the read gives a new version. */
async function readWithVersion(path: string): Promise<{ version: string; text: string | null }> {
  await using handle = await open(path);
  const stats = await handle.stat({ bigint: true });
  const text = stats.size > MAX_FILE_BYTES ? null : await handle.readFile('utf8');
  return { version: versionOf(stats), text };
}

class RuleIndex {
  readonly default: Partial<ShapingLimits>;
  readonly #byDomain = new Map<string, FileRule>();
  readonly #byMx = new Map<string, FileRule>();

  constructor(file: ShapingFile | null) {
    this.default = file?.default ?? {};
    for (const rule of file?.rules ?? []) {
      for (const domain of rule.domains) this.#byDomain.set(domain, rule);
      for (const suffix of rule.mx) this.#byMx.set(suffix, rule);
    }
  }

  /**
   * The rule for the domain, if there is one; otherwise the rule for the first host with a rule. For each host, the rule with the longest
   * name applies.
   */
  find(destination: string, mxHosts: readonly string[]): FileRule | null {
    const ofDomain = this.#byDomain.get(destination);
    if (ofDomain !== undefined) return ofDomain;
    for (const host of mxHosts) {
      for (let name = host; name !== ''; name = parentOf(name)) {
        const rule = this.#byMx.get(name);
        if (rule !== undefined) return rule;
      }
    }
    return null;
  }
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}
