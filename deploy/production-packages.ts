/** Creates the package.json and package-lock.json of a release, without development dependencies. */

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  repository?: unknown;
  type: string;
  engines: object;
  scripts: { start: string; posthorn: string };
  allowScripts: object;
  dependencies: object;
  optionalDependencies: object;
}

export interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  link?: boolean;
  resolved?: string;
}

export interface Lock {
  lockfileVersion: number;
  /** The packages by folder. The folder of the project itself is `''`. */
  packages: Record<string, LockedPackage>;
}

/** @param text the content of package.json */
export function productionManifest(text: string) {
  const { name, version, description, license, repository, type, engines, ...rest } = JSON.parse(
    text,
  ) as Manifest;
  const { start, posthorn } = rest.scripts;
  const { allowScripts, dependencies, optionalDependencies } = rest;
  return {
    name,
    version,
    description,
    license,
    // npm requires the address of the repository for a package with provenance.
    ...(repository !== undefined && { repository }),
    type,
    engines,
    // The optional packages contain Node and PostgreSQL for these systems only. Elsewhere, npm stops with this reason.
    os: ['linux'],
    cpu: ['x64', 'arm64'],
    libc: ['glibc'],
    bin: { posthorn: 'deploy/npx' },
    scripts: { start, posthorn },
    allowScripts,
    dependencies,
    optionalDependencies,
  };
}

/**
 * @param text the content of package-lock.json
 * @param manifest must match the lock file, because `npm ci` compares the two files
 */
export function productionLock(text: string, manifest: ReturnType<typeof productionManifest>) {
  const { lockfileVersion, packages } = JSON.parse(text) as Lock;
  const { name, version, license, engines, dependencies, optionalDependencies } = manifest;
  const linked = Object.values(packages).flatMap((each) => (each.link ? [each.resolved] : []));
  const production = Object.entries(packages).filter(
    ([folder, each]) => folder !== '' && !each.dev && !each.link && !linked.includes(folder),
  );
  return {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: {
      '': { name, version, license, engines, dependencies, optionalDependencies },
      ...Object.fromEntries(production),
    },
  };
}
