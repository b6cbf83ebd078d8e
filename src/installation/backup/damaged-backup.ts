import { StartupError } from '../../model/startup-error.ts';

/** The file is not a whole backup. Nothing of it may be used. */
export class DamagedBackup extends StartupError {
  /** Half a sentence. */
  readonly why: string;

  constructor(why: string) {
    super(`This is not a whole backup of Posthorn: ${why}. Nothing was restored.`);
    this.why = why;
  }
}
