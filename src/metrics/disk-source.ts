/** The free space on the disks to which this instance writes. */
import { statfs } from 'node:fs/promises';
import { clusterFolder } from '../installation/embedded/cluster.ts';
import { instanceGauge } from '../observe/define.ts';
import { withdrawAll } from './figures.ts';

/** The folders in which this instance stores its data, from the configuration. */
export interface Folders {
  dataDir: string;
  /** The URL of the database. Null for the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
}

const labels = { holds: ['data', 'database'] } as const;

const figures = {
  free: instanceGauge(
    'posthorn_disk_free_bytes',
    'Free space on the disks of the data folder and of the embedded PostgreSQL.',
    labels,
  ),
  size: instanceGauge('posthorn_disk_size_bytes', 'Size of these disks.', labels),
};

/** Creates the source. The disk of an external PostgreSQL cannot be measured and has no series. */
export function diskSource({ dataDir, databaseUrl }: Folders) {
  const folders = [
    { holds: 'data', folder: dataDir },
    // Measure the database's folder separately, because it may be a mount of its own or a symbolic link.
    ...(databaseUrl === null ? [{ holds: 'database', folder: clusterFolder(dataDir) } as const] : []),
  ] as const;
  return {
    async read(): Promise<void> {
      for (const { holds, folder } of folders) {
        const { bavail, blocks, bsize } = await statfs(folder);
        figures.free.set({ holds }, bavail * bsize);
        figures.size.set({ holds }, blocks * bsize);
      }
    },
    withdraw: () => withdrawAll(figures),
  };
}
