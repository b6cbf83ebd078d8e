/** The worker thread that shrinks images. */
import { parentPort } from 'node:worker_threads';
import { type ShrinkTask, shrink } from './shrink.ts';

parentPort?.on('message', (task: ShrinkTask) => {
  void shrink(task).then((webp) => parentPort?.postMessage({ webp }, []));
});
