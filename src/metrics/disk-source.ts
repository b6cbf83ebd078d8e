/** The free space of the disks that this instance writes to. */
import { statfs } from 'node:fs/promises';
import { clusterFolder } from '../installation/embedded/cluster.ts';
import { instanceGauge } from '../observe/define.ts';
import { withdrawAll } from './figures.ts';

/** Where this instance stores its data, from the configuration. */
export interface Folders {
  dataDir: string;
  /** Null: the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
}

const labels = { holds: ['data', 'database'] } as const;

const figures = {
  free: instanceGauge(
    'posthorn_disk_free_bytes',
    'Space that is free on the disk of the data folder, and on that of the embedded PostgreSQL.',
    labels,
  ),
  size: instanceGauge('posthorn_disk_size_bytes', 'Size of these disks.', labels),
};

/** The disk of a PostgreSQL elsewhere cannot be measured from here: it has no series. */
export function diskSource({ dataDir, databaseUrl }: Folders) {
  const folders = [
    { holds: 'data', folder: dataDir },
    // The folder of the cluster may be a mount or a symbolic link of its own.
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
